import { setTimeout as sleep } from "node:timers/promises";

/** Work that takes longer than this is mostly waiting for the database, which needs no longer pause. */
const MAX_REST_MS = 50;

/**
 * Pauses for a multiple of the time that a piece of work took, so that long work on the thread that answers requests
 * leaves time for the others.
 * @param rests how many times as long (delayFactorOf in fair-share.ts); with 0 it continues at once
 */
export async function rest(workedMs: number, rests: number): Promise<void> {
  if (rests > 0) await sleep(Math.min(workedMs, MAX_REST_MS) * rests);
}
