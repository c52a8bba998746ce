const TRIES = 3;

/**
 * Duration of the quickest of up to three tries (ms), for comparison with a wall time limit: other load can delay any
 * try, but a slow mechanism is slow in all.
 * @param limitMs a try below it is the last
 * @param attempt returns its duration (ms)
 */
export async function quickest(limitMs: number, attempt: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TRIES && least >= limitMs; n++) least = Math.min(least, await attempt());
  return least;
}

/** Duration (ms). */
export async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
