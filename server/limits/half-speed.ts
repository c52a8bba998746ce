import { setTimeout as sleep } from "node:timers/promises";

/** A database that takes long for a piece needs no longer rest for that. */
const MAX_REST_MS = 50;

/** Rests for as long as it took since then: on the thread that answers everybody, long work leaves others every other moment. */
export const restFor = (since: number): Promise<void> => sleep(Math.min(performance.now() - since, MAX_REST_MS));

/** Does a piece of long work, and rests for as long as it took. */
export async function atHalfSpeed<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const done = await work();
  await restFor(began);
  return done;
}
