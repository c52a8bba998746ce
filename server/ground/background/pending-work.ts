import type { EventEmitter } from "node:events";

const underWay = new Set<Promise<unknown>>();

/**
 * Tracks work without a waiting caller, so that shutdown waits for it: it may still need the recorder and the database.
 * The work logs its own failures.
 */
export function trackWork(work: Promise<unknown>): void {
  const settled = () => underWay.delete(work);
  underWay.add(work);
  work.then(settled, settled);
}

/** Tracks the source of an answer: what was sent is recorded when the source closes, after the end of the request. */
export const trackSource = (source: EventEmitter): void =>
  trackWork(new Promise<void>((resolve) => source.once("close", resolve)));

/** Resolves when no tracked work is left. */
export async function pendingWorkDone(): Promise<void> {
  while (underWay.size > 0) await Promise.allSettled(underWay);
}
