/**
 * Instants accepted by the tables, in milliseconds since 1970 UTC: JavaScript writes years over four digits in a form
 * unknown to PostgreSQL and our answers. Isomorphic.
 */
const FIRST_MS = 0;
const LAST_MS = Date.UTC(10_000, 0, 1) - 1;

/** True if the tables accept an instant. */
export const isInBounds = (date: Date): boolean => date.getTime() >= FIRST_MS && date.getTime() <= LAST_MS;

/** Clamps an instant to the accepted range. */
export const bounded = (ms: number): number => Math.min(Math.max(ms, FIRST_MS), LAST_MS);
