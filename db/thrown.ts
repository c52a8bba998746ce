/**
 * An error's text without the values of the statement that failed: Drizzle's message holds all of them, and they
 * may be secrets, or as long as a body.
 */
export function withoutValues(thrown: unknown, text: string): string {
  if (!(thrown instanceof Error)) return text;
  const isStatement = "params" in thrown && "query" in thrown;
  return withoutValues(
    thrown.cause,
    isStatement ? text.replaceAll(thrown.message, () => `Failed query: ${thrown.query}`) : text,
  );
}

/** An error in a line: the message of an Error, anything else as text. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? withoutValues(thrown, thrown.message) : String(thrown);

/** An error with its stack where it has one. */
export const stackOf = (thrown: unknown): string =>
  (thrown instanceof Error && thrown.stack && withoutValues(thrown, thrown.stack)) || messageOf(thrown);

/** The code of an error of Node, of a socket or of PostgreSQL (ENOENT, 23505); "" where it has none. */
export function codeOf(thrown: unknown): string {
  const hasCode = typeof thrown === "object" && thrown !== null && "code" in thrown;
  return hasCode && typeof thrown.code === "string" ? thrown.code : "";
}

/** The driver's error where Drizzle or fetch has wrapped one, else what was thrown. */
export const causeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;

/** True for an error whose message is a sentence for the operator: it is shown without its stack. */
export const isExpected = (thrown: unknown): boolean =>
  thrown instanceof Error && "expected" in thrown && thrown.expected === true;

/** An error as an Error object, for callers that take nothing else (a stream that is destroyed). */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
