const SHAPE = /^(?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/**
 * Whether a text is a time as signed texts write it: ISO 8601 in UTC with milliseconds, from the year 1 on, and a day that
 * the calendar has. Some engines read 30 February as a day in March, others as none: no verifier's reading may depend on that.
 */
export function isInstant(text: string): boolean {
  const ms = SHAPE.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}
