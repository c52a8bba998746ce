import { causeOf, codeOf, messageOf } from "./thrown";

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

/** The coordinator's error for a node that dies within a statement: an internal error, recognized by its text. */
const INTERNAL = "XX000";
const NODE_LOST =
  /^(failure on connection marked as essential|server closed the connection|connection not open|no connection to the server|could not (receive|send) data|SSL (SYSCALL error|connection has been closed))/;

const isAway = (error: unknown): boolean =>
  AWAY.test(codeOf(error)) || (codeOf(error) === INTERNAL && NODE_LOST.test(messageOf(error)));

/** Whether an error says that the database cannot be reached, or not for this, right now. */
export const isDatabaseAway = (error: unknown): boolean => isAway(error) || isAway(causeOf(error));
