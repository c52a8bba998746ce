import { setTimeout as sleep } from "node:timers/promises";

/** A database that takes long for a piece needs no longer rest for that. */
const MAX_REST_MS = 50;

/**
 * Rests for so many times as long as a piece of work took: on the thread that answers requests, long work leaves others
 * the more moments, the more often it rests.
 * @param rests how many times as long (delayFactorOf in fair-share.ts); with 0 it continues at once
 */
export async function rest(workedMs: number, rests: number): Promise<void> {
  if (rests > 0) await sleep(Math.min(workedMs, MAX_REST_MS) * rests);
}
