import { setTimeout as sleep } from "node:timers/promises";

type Patience = { ms?: number; pauseMs?: number };

/** Waits until something holds, for a minute unless it says otherwise. @returns whether it came to hold */
export async function holdsInTime(
  holds: () => unknown,
  { ms = 60_000, pauseMs = 50 }: Patience = {},
): Promise<boolean> {
  for (const deadline = Date.now() + ms; !(await holds()); await sleep(pauseMs))
    if (Date.now() > deadline) return false;
  return true;
}

/** The same. @throws Error that names it when it does not come to hold */
export async function until(what: string, holds: () => unknown, patience: Patience = {}): Promise<void> {
  if (!(await holdsInTime(holds, patience)))
    throw new Error(`${what}: not within ${(patience.ms ?? 60_000) / 1_000} s`);
}

/** Does something again and again, with a pause after each; the answer stops it and waits for the end. */
export function repeatedly(work: (n: number) => Promise<unknown>, pauseMs: number): () => Promise<void> {
  let isStopped = false;
  const running = (async () => {
    for (let n = 0; !isStopped; n++) {
      await work(n);
      await sleep(pauseMs);
    }
  })();
  return async () => {
    isStopped = true;
    await running;
  };
}
