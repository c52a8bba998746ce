import { setTimeout as sleep } from "node:timers/promises";

/** A database that takes long for a piece needs no longer rest for that. */
const MAX_REST_MS = 50;

/**
 * Rests for as long as it took since then, while somebody else wants something: on the thread that answers everybody, long
 * work leaves others every other moment. Alone it goes on at once.
 */
export async function restFor(since: number, isWanted: () => boolean): Promise<void> {
  if (isWanted()) await sleep(Math.min(performance.now() - since, MAX_REST_MS));
}

/** Does a piece of long work, and rests for as long as it took while somebody else wants something. */
export async function atHalfSpeed<T>(work: () => Promise<T>, isWanted: () => boolean): Promise<T> {
  const began = performance.now();
  const done = await work();
  await restFor(began, isWanted);
  return done;
}
