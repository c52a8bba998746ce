import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

/** Each file NAME-thread.ts below server/ gets its own bundle: dist/NAME-thread.mjs (scripts/threads.mjs). */
export type Thread = {
  name: `${string}-thread`;
  /** The thread's workerData. */
  task: unknown;
  /** Memory (MB) at which the thread is ended; one far larger allocation ends the process too. */
  maxHeapMb: number;
  /** Memory (MB) for short-lived objects. */
  youngHeapMb: number;
};

/** Next to the running bundle (server, command line, bench); tests run sources and use dist. */
function bundleOf(name: Thread["name"]): string {
  const beside = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  return existsSync(beside) ? beside : join(process.cwd(), "dist", `${name}.mjs`);
}

/** Starts a thread, to be ended by `terminate()`. Its errors arrive as "error". */
export const startThread = ({ name, task, maxHeapMb, youngHeapMb }: Thread): Worker =>
  new Worker(bundleOf(name), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: youngHeapMb },
  });

/**
 * Starts the bundle as a process without this one's environment, for untrusted input on which V8 may abort. Ended by
 * `kill()`. Starts work at the first message.
 */
export const startProcess = ({ name, maxHeapMb }: Pick<Thread, "name" | "maxHeapMb">): ChildProcess =>
  fork(bundleOf(name), {
    execArgv: [`--max-old-space-size=${maxHeapMb}`],
    env: { NODE_ENV: "production" },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
