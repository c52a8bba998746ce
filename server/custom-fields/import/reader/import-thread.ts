import { once } from "node:events";
import { codeOf, stackOf } from "@/db/thrown";
import { AppError, type ErrorCode, type FieldError } from "@/server/ground/errors";
import type { Batch } from "./stage-rows";
import { type Answers, runTask, type Task } from "./tasks";

/** Messages from the reading process: start, rows, then the result or the error. Each batch is answered by "next". */
export type FromThread =
  | { kind: "begun" }
  | { kind: "batch"; batch: Batch }
  | { kind: "done"; answer: Answers[keyof Answers] }
  | { kind: "refused"; code: ErrorCode; message: string; errors: FieldError[] | undefined }
  | { kind: "failed"; message: string };

/** An error in serializable form. */
function fromError(error: unknown): FromThread {
  if (error instanceof AppError)
    return { kind: "refused", code: error.code, message: error.message, errors: error.extra.errors };
  // Reported to a person instead of retried: the file will not come back.
  if (codeOf(error) === "ENOENT")
    return {
      kind: "refused",
      code: "conflict",
      message: "The uploaded file is no longer stored here: choose it again.",
      errors: undefined,
    };
  return { kind: "failed", message: stackOf(error) };
}

/** Reading process: does one task and waits to be ended. A batch waits until the previous one was accepted. */
async function main(task: Task): Promise<void> {
  const send = (message: FromThread) => process.send?.(message);
  let taken: Promise<unknown> = Promise.resolve();
  const onBatch = async (batch: Batch) => {
    await taken;
    taken = once(process, "message");
    send({ kind: "batch", batch });
  };
  send({ kind: "begun" });
  try {
    const answer = await runTask(task, onBatch);
    // The end of the reading ends the transaction that receives the rows.
    await taken;
    send({ kind: "done", answer });
  } catch (error) {
    await taken;
    send(fromError(error));
  }
}

// Runs until the server ends it or exits, because the answer is sent while this process lives.
process.on("disconnect", () => process.exit());
// A stop signal reaches all processes of a service, but the server ends this one itself.
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => {});
process.once("message", (task: Task) => void main(task));
