import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);
const argsOf = (name: string, args: (string | number)[]) => [
  "--expose-gc",
  process.argv[1] ?? "",
  "--child",
  name,
  ...args.map(String),
];

/** Runs a job of children.ts in its own process. @returns its result */
export async function inChild<T>(name: string, ...args: (string | number)[]): Promise<T & { maxRssMb: number }> {
  const { stdout } = await run(process.execPath, argsOf(name, args), { env: process.env });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}");
}

/** Starts a long-running job of children.ts. @returns its first line */
export async function startChild<T>(name: string, ...args: string[]): Promise<{ answer: T; stop: () => void }> {
  const child = spawn(process.execPath, argsOf(name, args), { env: process.env, stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout }))
    return { answer: JSON.parse(line), stop: () => void child.kill("SIGTERM") };
  throw new Error(`${name} ended without an answer`);
}
