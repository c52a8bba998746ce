import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { type FromThread, fromError } from "./messages";
import type { Batch } from "./stage-rows";
import { runTask, type Task } from "./tasks";

/** The reading thread: one task, then it ends. A batch waits until the one before it has been taken. */
async function main(task: Task): Promise<void> {
  const send = (message: FromThread) => parentPort?.postMessage(message);
  let taken: Promise<unknown> = Promise.resolve();
  const onBatch = async (batch: Batch) => {
    await taken;
    if (parentPort) taken = once(parentPort, "message");
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
  } finally {
    parentPort?.close();
  }
}

// SheetJS remarks on oddities of a file there, a line for each: the server's log is not for those.
console.error = () => {};

await main(workerData);
