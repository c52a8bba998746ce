/**
 * The instants that the tables take, in milliseconds since 1970 UTC: JavaScript writes years of more than four digits in a
 * way that neither PostgreSQL nor our answers know. Isomorphic.
 */
const FIRST_MS = 0;
const LAST_MS = Date.UTC(10_000, 0, 1) - 1;

/** Whether the tables take an instant. */
export const isInBounds = (date: Date): boolean => date.getTime() >= FIRST_MS && date.getTime() <= LAST_MS;

/** An instant, or the closest one that the tables take. */
export const bounded = (ms: number): number => Math.min(Math.max(ms, FIRST_MS), LAST_MS);
