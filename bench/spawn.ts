import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs one of children.ts in a process of its own and answers what it found. */
export async function inChild<T>(name: string, ...args: (string | number)[]): Promise<T & { maxRssMb: number }> {
  const script = process.argv[1] as string;
  const { stdout } = await run(process.execPath, [script, "--child", name, ...args.map(String)], { env: process.env });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}") as T & { maxRssMb: number };
}
