const SHAPE = /^(?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/**
 * Whether a text is a time as signed texts write it: ISO 8601 in UTC with milliseconds, from the year 1 on, and a day that
 * the calendar has. Some engines read 30 February as a day in March, others as none: no verifier's reading may depend on that.
 */
export function isInstant(text: string): boolean {
  const ms = SHAPE.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

/** The last second of the year 9999. */
export const MAX_SECONDS = 253_402_300_799;

/**
 * The time that a witness names, as text.
 * @param seconds since 1970 UTC, any number that eight bytes hold; one beyond the year 9999 is given as a number
 */
export const timeOfSeconds = (seconds: number, format = (at: Date) => at.toISOString()): string =>
  seconds <= MAX_SECONDS ? format(new Date(seconds * 1000)) : `${seconds} s since 1970`;
