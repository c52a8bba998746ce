import { causeOf, codeOf } from "./thrown";

/**
 * SQLSTATE classes and socket faults that mean "the database is away", not "the query is wrong"; 25006: no primary yet,
 * 28: it refuses the role or its password, 3D: it has no database of that name.
 */
const AWAY = /^(08|28|3D|57P0|53|25006)|^(CONNECT|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|CONNECTION_)/;

/** Whether an error says that the database cannot be reached, or not for this, right now. */
export const isDatabaseAway = (error: unknown): boolean =>
  AWAY.test(codeOf(error)) || AWAY.test(codeOf(causeOf(error)));
