import { MAX_WORKBOOK_CELLS } from "@/server/custom-fields/import/plan-schema";
import { startProcess } from "@/server/ground/background/threads";
import { AppError } from "@/server/ground/errors";
import type { FromThread } from "./messages";
import type { Batch } from "./stage-rows";
import type { Answers, Task } from "./tasks";

/** Memory of a reading process (MB): a file that needs more is refused, and nothing else of the server suffers. */
const MAX_HEAP_MB = 512;
/** Time for a process to start, which is no matter of the file: on a machine that is busy with other things it takes seconds. */
const START_MS = 60_000;
/**
 * Time for a preview, and for reading to come to its next rows (ms): linear reading needs a fraction of it, also
 * on a busy machine.
 */
const READ_MS = 60_000;
/** All of a file's reading, the database's part included. */
const MAX_STAGE_MS = 10 * 60_000;

const tooSlow = () =>
  new AppError("payload_too_large", "The file takes too long to read. Save it as CSV, or split it, and try again.");

const notStarted = () =>
  new AppError("unavailable", "The server is too busy to read the file at this moment. Try again in a minute.");

/** How V8 and the kernel end a process that needs more memory than it may have. */
const OUT_OF_MEMORY = ["SIGABRT", "SIGTRAP", "SIGILL", "SIGKILL"];

/** What ended a process that did not answer: beyond its memory it is the file, else our fault. */
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
 * Reads files in a separate process, so that no other request waits for them, within limits of memory and time. There are two
 * at most: the one preview and the one import of a process. Staged rows arrive in batches, the next one when the last has
 * been taken; what `onBatch` throws ends the reading.
 * @throws AppError what reading throws; payload_too_large at a limit, unavailable where the process does not start; what
 * onBatch throws.
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
