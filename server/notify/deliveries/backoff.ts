const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses after each failed attempt, as Standard Webhooks proposes; then the message is given up, after three days. */
const RETRY_DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const JITTER = 0.1;

/** An endpoint to which nothing could be delivered for so long is disabled. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR;

/**
 * When to try again after so many failed attempts; null to give up.
 * @param random 0 to 1: spreads what failed at the same time
 */
export function nextAttempt(attempts: number, now: Date, random = Math.random()): Date | null {
  const delay = RETRY_DELAYS_MS[attempts - 1];
  return delay === undefined ? null : new Date(now.getTime() + delay * (1 + JITTER * (2 * random - 1)));
}
