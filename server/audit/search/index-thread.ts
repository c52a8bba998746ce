import "@/server/ground/env";
import { parentPort } from "node:worker_threads";
import { stackOf } from "@/db/thrown";
import { findDamage, indexChain } from "./indexer";
import type { IndexAnswer, IndexTask } from "./thread";

/** The indexing thread: it reads, builds and stores on a connection of its own, one task after the other. */

const run = async ({ orgId, span }: IndexTask): Promise<IndexAnswer> =>
  span ? { damaged: await findDamage(orgId, span) } : { found: await indexChain(orgId) };

parentPort?.on("message", (task: IndexTask) =>
  run(task)
    .catch((error: unknown): IndexAnswer => ({ failed: stackOf(error) }))
    .then((answer) => parentPort?.postMessage(answer)),
);
