import { alarmWatch } from "../audit/alarm";
import { checkpointWorker } from "../audit/checkpoint-worker";
import { verificationJob } from "../audit/nightly-job";
import { searchWorker } from "../audit/search-worker";
import { importWorker } from "../custom-fields/import/worker";
import { env } from "../env";
import { log } from "../log";
import { announcePruning, retentionJob } from "../retention/worker";
import { dailyJobsWorker } from "./daily-jobs";

/** A background job of this process: started once, stopped at shutdown. */
export type Worker = { name: string; start: () => Promise<void>; stop: () => Promise<void> };

const WORKERS: Worker[] = [
  alarmWatch,
  checkpointWorker,
  searchWorker,
  importWorker,
  dailyJobsWorker([verificationJob, retentionJob]),
];
const running: Worker[] = [];

/** Starts the background work unless WORKERS=off; one that cannot start is logged and does not keep the others back. */
export async function startWorkers(): Promise<void> {
  announcePruning();
  if (!env().WORKERS) return;
  for (const worker of WORKERS) {
    try {
      await worker.start();
      running.push(worker);
    } catch (error) {
      log.error({ err: error, worker: worker.name }, "worker did not start");
    }
  }
}

export async function stopWorkers(): Promise<void> {
  await Promise.allSettled(running.splice(0).map((w) => w.stop()));
}
