import { once } from "node:events";
import { type FromThread, fromError } from "./messages";
import type { Batch } from "./stage-rows";
import { runTask, type Task } from "./tasks";

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
