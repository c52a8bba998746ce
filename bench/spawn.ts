import { startNode } from "@/testing/program";

const startJob = (name: string, args: (string | number)[]) =>
  startNode(["--expose-gc", process.argv[1] ?? "", "--child", name, ...args.map(String)], { env: process.env });

/** Runs a job of children.ts in its own process. @returns its result */
export async function inChild<T>(name: string, ...args: (string | number)[]): Promise<T & { maxRssMb: number }> {
  const { code, out, err } = await startJob(name, args).ended;
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${err}`);
  return JSON.parse(out.trim().split("\n").at(-1) ?? "{}");
}

/** Starts a long-running job of children.ts. @returns its first line */
export async function startChild<T>(name: string, ...args: string[]): Promise<{ answer: T; stop: () => void }> {
  const { child, said } = startJob(name, args);
  const [line] = await said(/^.+(?=\n)/);
  return { answer: JSON.parse(line), stop: () => void child.kill("SIGTERM") };
}
