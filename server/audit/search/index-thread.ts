import "@/server/ground/env";
import { parentPort } from "node:worker_threads";
import { stackOf } from "@/db/thrown";
import { findDamage, indexChain } from "./indexer";
import type { IndexAnswer, IndexTask } from "./thread";

/** The indexing thread reads, builds and stores on its own connection, one task at a time. */

const run = async ({ orgId, span }: IndexTask): Promise<IndexAnswer> =>
  span ? { damaged: await findDamage(orgId, span) } : { found: await indexChain(orgId) };

parentPort?.on("message", (task: IndexTask) =>
  run(task)
    .catch((error: unknown): IndexAnswer => ({ failed: stackOf(error) }))
    .then((answer) => parentPort?.postMessage(answer)),
);
