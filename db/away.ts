import { causeOf, codeOf, messageOf } from "./thrown";

/**
 * SQLSTATE classes and socket errors that mean "the database is away" instead of "the query is wrong"; 25006: no
 * primary yet, 28: role or password refused, 3D: no database of that name.
 */
const AWAY = /^(08|28|3D|57P0|53|25006)|^(CONNECT|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|CONNECTION_)/;

/** SQLSTATE of a database that accepts no writes: read-only, a replica, or its disk full. */
const TAKES_NO_WRITES = /^(25006|53100)/;

/** True if an error says that the database accepts no writes, though it may be readable. */
export const takesNoWrites = (error: unknown): boolean =>
  TAKES_NO_WRITES.test(codeOf(error)) || TAKES_NO_WRITES.test(codeOf(causeOf(error)));

/** The coordinator's error for a node that dies during a statement: an internal error, recognized by its text. */
const INTERNAL = "XX000";
const NODE_LOST =
  /^(failure on connection marked as essential|server closed the connection|connection not open|no connection to the server|could not (receive|send) data|SSL (SYSCALL error|connection has been closed))/;

const isAway = (error: unknown): boolean =>
  AWAY.test(codeOf(error)) || (codeOf(error) === INTERNAL && NODE_LOST.test(messageOf(error)));

/** True if an error says that the database is unreachable, or cannot do this, right now. */
export const isDatabaseAway = (error: unknown): boolean => isAway(error) || isAway(causeOf(error));
