import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

/** A separate bundle for each file called NAME-thread.ts below server/: dist/NAME-thread.mjs (scripts/threads.mjs). */
export type Thread = {
  name: `${string}-thread`;
  /** The thread's workerData. */
  task: unknown;
  /** Memory (MB) beyond which the thread is ended; a single allocation far beyond it ends the process too. */
  maxHeapMb: number;
  /** Memory (MB) of what is created and forgotten at once; by default Node's own choice. */
  youngHeapMb?: number;
};

/** Beside the bundle that runs (server, command line, bench); tests run sources, for which it is in dist. */
function bundleOf(name: Thread["name"]): string {
  const beside = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  return existsSync(beside) ? beside : join(process.cwd(), "dist", `${name}.mjs`);
}

/** Starts a thread; who starts it ends it by `terminate()`. A fault of it comes as its "error". */
export const startThread = ({ name, task, maxHeapMb, youngHeapMb }: Thread): Worker =>
  new Worker(bundleOf(name), {
    workerData: task,
    resourceLimits: {
      maxOldGenerationSizeMb: maxHeapMb,
      ...(youngHeapMb !== undefined && { maxYoungGenerationSizeMb: youngHeapMb }),
    },
  });

/**
 * Starts the bundle as a process of its own, without this one's environment: for work on foreign input, where V8 may end
 * all of a process. Who starts it ends it by `kill()`. It begins with the first message that it is sent.
 */
export const startProcess = ({ name, maxHeapMb }: Pick<Thread, "name" | "maxHeapMb">): ChildProcess =>
  fork(bundleOf(name), {
    execArgv: [`--max-old-space-size=${maxHeapMb}`],
    env: { NODE_ENV: "production" },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
