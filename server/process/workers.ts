import { env } from "../env";
import { log } from "../log";

/** A background job of this process: started once, stopped at shutdown. */
export type Worker = { name: string; start: () => Promise<void>; stop: () => Promise<void> };

const WORKERS: Worker[] = [];
const running: Worker[] = [];

/** Starts the background work unless WORKERS=off; one that cannot start is logged and does not keep the others back. */
export async function startWorkers(): Promise<void> {
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
