import { setTimeout as sleep } from "node:timers/promises";

/** So long rows are read before writers have the processor for as long. */
const TURN_MS = 10;

/** A long reading gives as much time to writers as it takes: it stops for as long as it went on, every so often. */
export function pacing(): () => Promise<void> | null {
  let since = performance.now();
  return () => {
    const worked = performance.now() - since;
    if (worked < TURN_MS) return null;
    return sleep(worked).then(() => {
      since = performance.now();
    });
  };
}
