/**
 * An error's text without the statement's values: Drizzle's message contains all of them, and they may be secrets or
 * long.
 */
export function withoutValues(thrown: unknown, text: string): string {
  if (!(thrown instanceof Error)) return text;
  const isStatement = "params" in thrown && "query" in thrown;
  return withoutValues(
    thrown.cause,
    isStatement ? text.replaceAll(thrown.message, () => `Failed query: ${thrown.query}`) : text,
  );
}

/** An error as one line: the message of an Error, or the value as text. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? withoutValues(thrown, thrown.message) : String(thrown);

/** An error with its stack, if any. */
export const stackOf = (thrown: unknown): string =>
  (thrown instanceof Error && thrown.stack && withoutValues(thrown, thrown.stack)) || messageOf(thrown);

/** Code of an error of Node, a socket or PostgreSQL (ENOENT, 23505); "" without one. */
export function codeOf(thrown: unknown): string {
  const hasCode = typeof thrown === "object" && thrown !== null && "code" in thrown;
  return hasCode && typeof thrown.code === "string" ? thrown.code : "";
}

/** The driver's error wrapped by Drizzle or fetch, else the thrown value. */
export const causeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;

/** An error whose message is a sentence for the operator, shown without a stack. */
export class ExpectedError extends Error {
  readonly expected = true;
}

/** By member, not by class: in development the service is another bundle than its process. */
export const isExpected = (thrown: unknown): boolean =>
  thrown instanceof Error && "expected" in thrown && thrown.expected === true;

/** Converts a thrown value to an Error, where only that is accepted (destroying a stream). */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
