import { causeOf, codeOf } from "./thrown";

/**
 * SQLSTATE classes and socket faults that mean "the database is away", not "the query is wrong"; 25006: no primary yet,
 * 28: it refuses the role or its password, 3D: it has no database of that name.
 */
const AWAY = /^(08|28|3D|57P0|53|25006)|^(CONNECT|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|CONNECTION_)/;

/** SQLSTATE of a database that answers and takes no writes: read-only or a replica, its disk full. */
const TAKES_NO_WRITES = /^(25006|53100)/;

/** Whether an error says that the database takes no writes, though it may still be read. */
export const takesNoWrites = (error: unknown): boolean =>
  TAKES_NO_WRITES.test(codeOf(error)) || TAKES_NO_WRITES.test(codeOf(causeOf(error)));

/** Whether an error says that the database cannot be reached, or not for this, right now. */
export const isDatabaseAway = (error: unknown): boolean =>
  AWAY.test(codeOf(error)) || AWAY.test(codeOf(causeOf(error)));
