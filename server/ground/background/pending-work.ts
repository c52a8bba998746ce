import type { EventEmitter } from "node:events";

const underWay = new Set<Promise<unknown>>();

/**
 * Notes work whose end no caller waits for: the end of the process does, because what it has left to record would find the
 * recorder and the database closed. What fails is for the work itself to log.
 */
export function trackWork(work: Promise<unknown>): void {
  const settled = () => underWay.delete(work);
  underWay.add(work);
  work.then(settled, settled);
}

/** Notes an answer's source: what left is recorded at its end, which comes after that of the request. */
export const trackSource = (source: EventEmitter): void =>
  trackWork(new Promise<void>((resolve) => source.once("close", resolve)));

/** Resolves when no such work is left. */
export async function pendingWorkDone(): Promise<void> {
  while (underWay.size > 0) await Promise.allSettled(underWay);
}
