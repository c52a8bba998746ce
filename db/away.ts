/** SQLSTATE classes and socket faults that mean "the database is away", not "the query is wrong"; 25006: no primary yet. */
const AWAY = /^(08|57P0|53|25006)|^(CONNECT|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|CONNECTION_)/;

/** The code of an error of the driver, or of what Drizzle wraps; "" where there is none. */
export function codeOf(error: unknown): string {
  const { code, cause }: { code?: unknown; cause?: { code?: unknown } } = Object(error);
  return String(code ?? cause?.code ?? "");
}

/** Whether an error says that the database cannot be reached, or not for this, right now. */
export const isDatabaseAway = (error: unknown): boolean =>
  AWAY.test(codeOf(error)) || AWAY.test(codeOf(Object(error).cause));
