import { MAX_WORKBOOK_CELLS } from "@/server/custom-fields/import/plan-schema";
import { startProcess } from "@/server/ground/background/threads";
import { AppError } from "@/server/ground/errors";
import type { Answers, FromThread, Task } from "./import-thread";
import type { Batch } from "./stage-rows";

/** Memory limit of a reading process (MB): a larger file is refused without affecting the server. */
const MAX_HEAP_MB = 512;
/** Time for a process to start, regardless of the file: seconds on a busy machine. */
const START_MS = 60_000;
/** Time for a preview, and between batches (ms): linear reading takes a fraction, even on a busy machine. */
const READ_MS = 60_000;
/** Time to read a file in total, including the database. */
const MAX_STAGE_MS = 10 * 60_000;

const tooSlow = () =>
  new AppError("payload_too_large", "The file takes too long to read. Save it as CSV, or split it, and try again.");

const notStarted = () =>
  new AppError("unavailable", "The server is too busy to read the file at this moment. Try again in a minute.");

/** How V8 and the kernel end a process that exceeds its memory. */
const OUT_OF_MEMORY = ["SIGABRT", "SIGTRAP", "SIGILL", "SIGKILL"];

/** Error for a process that ended without an answer: the file if it exceeded memory, else our fault. */
const ended = (signal: NodeJS.Signals | null): Error =>
  signal !== null && OUT_OF_MEMORY.includes(signal)
    ? new AppError(
        "payload_too_large",
        `The file needs too much memory to read: of a workbook ${MAX_WORKBOOK_CELLS.toLocaleString("en")} cells fit. Save it as CSV, or split it.`,
      )
    : new Error("the reading process ended without an answer");

type Kind = Task["kind"];
type TaskOf<K extends Kind> = Extract<Task, { kind: K }>;

/**
 * Reads files in a separate process, within limits of memory and time, so that no other request waits. At most two run:
 * one preview and one import. Staged rows arrive in batches, each after the last was accepted; an error of `onBatch`
 * ends the reading.
 * @throws AppError the errors of reading; payload_too_large at a limit, unavailable if the process does not start; the
 * errors of onBatch.
 */
export function readFiles<K extends Kind>(
  task: TaskOf<K>,
  onBatch?: (batch: Batch) => Promise<void>,
): Promise<Answers[K]> {
  const reader = startProcess({ name: "import-thread", maxHeapMb: MAX_HEAP_MB });
  reader.send(task);
  return new Promise<Answers[K]>((resolve, reject) => {
    const overall = setTimeout(() => reject(tooSlow()), MAX_STAGE_MS);
    let deadline = setTimeout(() => reject(notStarted()), START_MS);
    const waitForRows = () => {
      clearTimeout(deadline);
      deadline = setTimeout(() => reject(tooSlow()), READ_MS);
    };
    const settle = (finish: () => void) => {
      clearTimeout(overall);
      clearTimeout(deadline);
      finish();
    };
    const addBatch = async (batch: Batch) => {
      clearTimeout(deadline);
      await onBatch?.(batch);
      waitForRows();
      reader.send("next");
    };
    reader.on("message", (message: FromThread) => {
      if (message.kind === "begun") waitForRows();
      else if (message.kind === "batch") addBatch(message.batch).catch((error: unknown) => settle(() => reject(error)));
      else if (message.kind === "done") settle(() => resolve(message.answer as Answers[K]));
      else if (message.kind === "failed") settle(() => reject(new Error(message.message)));
      else
        settle(() =>
          reject(new AppError(message.code, message.message, message.errors ? { errors: message.errors } : {})),
        );
    });
    reader.once("error", (error) => settle(() => reject(error)));
    reader.once("exit", (_, signal) => settle(() => reject(ended(signal))));
  }).finally(() => reader.kill("SIGKILL"));
}
