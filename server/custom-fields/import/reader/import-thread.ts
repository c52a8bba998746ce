import { once } from "node:events";
import { type FromThread, fromError } from "./messages";
import type { Batch } from "./stage-rows";
import { runTask, type Task } from "./tasks";

/** The reading process: one task, until it is ended. A batch waits until the one before it has been taken. */
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
    // The end of the reading ends the transaction that takes the rows.
    await taken;
    send({ kind: "done", answer });
  } catch (error) {
    await taken;
    send(fromError(error));
  }
}

// Until the server ends it or has ended itself: an answer is on its way while this process lives.
process.on("disconnect", () => process.exit());
// A stop reaches all processes of a service at once, and the server ends this one when it is done with it.
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => {});
process.once("message", (task: Task) => void main(task));
