import { parentPort, workerData } from "node:worker_threads";
import { stackOf } from "@/db/thrown";
import { type ChainReader, readOnOwnConnection } from "@/server/evidence/chain/chain-stream";
import { readRange } from "./read-range";
import type { FromThread, ThreadTask, ToThread } from "./thread";

/** The reading thread: reads given ranges of one chain, on one connection in the snapshot of the main reading. */

const send = (message: FromThread) => parentPort?.postMessage(message);

const received: ToThread[] = [];
let wake = () => {};
parentPort?.on("message", (message: ToThread) => {
  received.push(message);
  wake();
});

async function next(): Promise<ToThread> {
  while (received.length === 0) await new Promise<void>((resolve) => (wake = resolve));
  return received.shift() ?? "end";
}

async function readRanges(reader: ChainReader, { orgId, mark }: ThreadTask): Promise<void> {
  for (let range = await next(); range !== "end"; range = await next()) {
    const runs = await readRange(reader, range, {
      orgId,
      mark,
      onProgress: (rows) => send({ kind: "progress", rows }),
    });
    send({ kind: "runs", runs });
  }
}

async function main(task: ThreadTask): Promise<void> {
  try {
    await readOnOwnConnection(task.tenant, (reader) => readRanges(reader, task), task.snapshot);
  } catch (error) {
    send({ kind: "failed", message: stackOf(error) });
  } finally {
    parentPort?.close();
  }
}

await main(workerData);
