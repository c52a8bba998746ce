import { searchWorker } from "@/server/audit/search/search-worker";
import { importExpiry } from "@/server/custom-fields/import/run/expire-drafts";
import { importWork } from "@/server/custom-fields/import/run/run-job";
import { detectionJob, detectionWatch } from "@/server/detections/job";
import { pruneDeviceLogs } from "@/server/devices/logs/prune";
import { alarmWatch } from "@/server/evidence/integrity/alarm-watch";
import { checkpointWorker } from "@/server/evidence/integrity/checkpoint-worker";
import { figuresWatch } from "@/server/evidence/integrity/figures";
import { verificationJob } from "@/server/evidence/integrity/nightly";
import { exportExpiry } from "@/server/exports/drop";
import { exportWork } from "@/server/exports/run";
import { env } from "@/server/ground/env";
import { type AnyJobKind, type JobKind, jobWorker } from "@/server/ground/jobs";
import { log } from "@/server/ground/log";
import { deliveryJob } from "@/server/notify/deliveries/settle";
import { lossReporter } from "@/server/notify/notifications/losses";
import { notificationJob } from "@/server/notify/notifications/send-messages";
import { reportJob } from "@/server/notify/report-schedules/run";
import { restorationEnd, restoreJob } from "@/server/notify/streams/archive/restore";
import { streamDayJob } from "@/server/notify/streams/daily";
import { streamFigures } from "@/server/notify/streams/figures";
import { streamJob, streamWatch } from "@/server/notify/streams/send";
import { refuseMovedClock } from "@/server/retention/clock";
import { announcePruning, retentionJob } from "@/server/retention/run";
import { queuesWatch } from "./queues-watch";

/** A background job of this process, started once and stopped at shutdown. */
type Worker = { name: string; start: () => void | Promise<void>; stop: () => Promise<void> };

/** Device logs first, because they need no elevated role. */
const pruningJob: JobKind<object> = {
  ...retentionJob,
  async run(data, job) {
    const { signal } = job;
    await refuseMovedClock();
    const pruned = await pruneDeviceLogs({ signal });
    const rows = pruned.reduce((sum, { diagnostic, events }) => sum + diagnostic + events, 0);
    log.info({ rows, organizations: pruned.length }, "device log retention run");
    await retentionJob.run(data, job);
  },
};

/** Work done by each process for itself. */
const OWN: Worker[] = [lossReporter];
/** Work distributed by the job library. */
const JOBS: AnyJobKind[] = [
  verificationJob,
  pruningJob,
  notificationJob,
  detectionJob,
  reportJob,
  deliveryJob(),
  importWork,
  importExpiry,
  exportWork,
  exportExpiry,
  streamJob,
  streamDayJob,
  restoreJob,
  restorationEnd,
];

/** Work done by any process for all. */
const WORKERS: Worker[] = [
  alarmWatch,
  figuresWatch,
  queuesWatch(JOBS),
  checkpointWorker,
  searchWorker,
  streamWatch,
  detectionWatch,
  streamFigures,
  jobWorker(JOBS),
];
const running: Worker[] = [];

/**
 * Starts background work, with WORKERS=off only this process's own; a failure to start is logged and does not block
 * others.
 */
export async function startWorkers(): Promise<void> {
  announcePruning();
  for (const worker of env().WORKERS ? [...OWN, ...WORKERS] : OWN) {
    try {
      await worker.start();
      running.push(worker);
    } catch (error) {
      log.error({ err: error, worker: worker.name }, "worker did not start");
    }
  }
}

/** Stops everything that startWorkers() started, in parallel, and waits. */
export async function stopWorkers(): Promise<void> {
  await Promise.allSettled(running.splice(0).map((w) => w.stop()));
}
