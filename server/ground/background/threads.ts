import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { codeOf } from "@/db/thrown";

/** A separate bundle for each file called NAME-thread.ts below server/: dist/NAME-thread.mjs (scripts/threads.mjs). */
export type Thread = {
  name: `${string}-thread`;
  /** What the thread finds as its workerData. */
  task: unknown;
  /** Memory (MB) beyond which the thread is ended, and nothing else of the process with it. */
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

/** True for the fault of a thread that needed more memory than it was given. */
export const isOutOfMemory = (error: unknown): boolean => codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY";
