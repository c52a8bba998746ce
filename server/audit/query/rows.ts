import { type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { COLUMNS, FIELDS, type SqlRow } from "@/server/audit/row";
import { type Scope, ZERO_UUID } from "@/server/ground/context";
import { readSigned, signText } from "@/server/ground/derived-key";
import { invalid } from "@/server/ground/errors";

/** Position of a row in list order: (timestamp, chain sequence, organization), newest first. */
export type Cursor = { ms: number; seq: string; orgId: string };

const PURPOSE = "cursor";
const CURSOR = /^(\d{1,15})\.(\d{1,18})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** A cursor as the opaque text that clients hand back. */
export const encodeCursor = ({ ms, seq, orgId }: Cursor): string => signText(PURPOSE, `${ms}.${seq}.${orgId}`);

/** @throws AppError validation_failed for a text that is not a cursor, or an altered one. */
export function decodeCursor(cursor: string): Cursor {
  const [, ms, seq, orgId] = CURSOR.exec(readSigned(PURPOSE, cursor) ?? "") ?? [];
  if (!seq || !orgId) throw invalid("cursor", "is not a cursor of this list");
  return { ms: Number(ms), seq, orgId };
}

/** A stored row with the display names of its actor. */
export type EntryRow = Omit<SqlRow, "timestamp"> & {
  /** The timestamp in milliseconds since 1970 UTC. */
  ms: number;
  checksum: string;
  prev_checksum: string | null;
  chain_seq: string;
  user_name: string | null;
  user_email: string | null;
  user_role: string | null;
  user_department: string | null;
  key_name: string | null;
  hostname: string | null;
};

/** Columns of a large export: a third fewer bytes. */
export type BodyRow = Omit<EntryRow, "error_message" | "checksum" | "prev_checksum" | "user_role" | "user_department">;

const BODY_FIELDS = FIELDS.filter((field) => field !== "timestamp" && field !== "errorMessage");
/** Text id of the actor of rows `a` if it is not a UUID. */
export const RAW_ACTOR = `CASE WHEN a.actor_id = '${ZERO_UUID}' THEN a.details ->> 'rawActorId' END`;
/** Id of the actor of rows `a` as text; NULL if it has none. */
export const ACTOR_ID: SQL = sql.raw(`COALESCE(${RAW_ACTOR}, NULLIF(a.actor_id::text, '${ZERO_UUID}'))`);
/**
 * Id of an agent as entries name it, as text if it is not a UUID. A column of the materialized rows, because row-level
 * security keeps functions out of index conditions.
 */
const AGENT_ID = `CASE WHEN a.actor_type = 'agent' THEN COALESCE(${RAW_ACTOR}, a.actor_id::text) END AS agent_id`;
const BODY = [
  ...BODY_FIELDS.map((field) => (field === "details" ? "a.details::text AS details" : `a.${COLUMNS[field].sql}`)),
  `(extract(epoch FROM a."timestamp") * 1000)::float8 AS ms, a."timestamp", a.chain_seq`,
  AGENT_ID,
].join(", ");
/**
 * Joins people, keys and devices to rows `p`; limited to one agent, because UUIDs in two cases could both be enrolled.
 */
export const joinNames = (isAgent: string): SQL =>
  sql.raw(
    `LEFT JOIN users u ON p.actor_type = 'user' AND u.id = p.actor_id
     LEFT JOIN api_keys k ON p.actor_type = 'api_key' AND k.id = p.actor_id
     LEFT JOIN LATERAL (SELECT device_id FROM agents WHERE ${isAgent} LIMIT 1) g ON true
     LEFT JOIN devices d ON d.id = g.device_id`,
  );
const NAMES = joinNames("org_id = p.org_id AND actor_id = p.agent_id");

/** Columns read from rows `a`, and columns selected from those, `p`, with names. */
export type Shape<Row> = { columns: SQL; output: SQL; row?: Row };
export const ENTRY: Shape<EntryRow> = {
  columns: sql.raw(`${BODY}, a.error_message, a.checksum, a.prev_checksum`),
  output: sql.raw(
    "p.*, u.name AS user_name, u.email AS user_email, u.role AS user_role, u.department AS user_department, k.name AS key_name, d.hostname",
  ),
};
export const BODY_ONLY: Shape<BodyRow> = {
  columns: sql.raw(BODY),
  output: sql.raw(
    `${BODY_FIELDS.map((field) => `p.${COLUMNS[field].sql}`).join(", ")}, p.ms, p.chain_seq,
     u.name AS user_name, u.email AS user_email, k.name AS key_name, d.hostname`,
  ),
};

/** Converts milliseconds since 1970 UTC to an array of timestamps. */
export const instants = (ms: readonly number[]): SQL =>
  sql`${sql.param(ms.map((one) => new Date(one).toISOString()))}::text[]::timestamptz[]`;

/** Key of a row: organization and chain sequence. */
export type Key = { orgId: string; seq: string };
/** A key with the row's timestamp, in milliseconds since 1970 UTC. */
export type Found = Key & { ms: number };

/** Key columns of rows `a`. */
export const KEY = sql.raw(
  `a.org_id AS "orgId", a.chain_seq AS seq, (extract(epoch FROM a."timestamp") * 1000)::float8 AS ms`,
);
export const NEWEST_FIRST = sql.raw(`ORDER BY a."timestamp" DESC, a.chain_seq DESC, a.org_id DESC`);

/** Distinct matches found so far. */
export class Matches {
  readonly #found = new Map<string, Found>();

  add(keys: readonly Found[]): void {
    for (const key of keys) this.#found.set(`${key.orgId}${key.seq}`, key);
  }

  get count(): number {
    return this.#found.size;
  }

  newest(need: number): Found[] {
    const order = (a: Found, b: Found) => b.ms - a.ms || Number(b.seq) - Number(a.seq) || (a.orgId < b.orgId ? 1 : -1);
    return [...this.#found.values()].sort(order).slice(0, need);
  }

  newerThan(ms: number): number {
    let count = 0;
    for (const key of this.#found.values()) if (key.ms > ms) count++;
    return count;
  }
}

/** Joins conditions with AND; TRUE if there are none. */
export const allOf = (conditions: SQL[]): SQL =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` AND `);

/** Rows older than a cursor in (timestamp, sequence, organization) order. */
export function olderThan({ ms, seq, orgId }: Cursor): SQL {
  const at = sql`${new Date(ms).toISOString()}::timestamptz`;
  return sql`(a."timestamp", a.chain_seq) <= (${at}, ${seq}::bigint) AND (a."timestamp", a.chain_seq, a.org_id) < (${at}, ${seq}::bigint, ${orgId}::uuid)`;
}

export async function reachedBy(tx: Tx, scope: Scope): Promise<readonly string[]> {
  if (scope.kind !== "system") return scope.orgIds;
  const rows = await rowsOf<{ id: string }>(tx, sql`SELECT id FROM organizations`);
  return rows.map((row) => row.id);
}

/**
 * Last sequence in the search index of each organization `o`, as a row `i(through)`; rows past it are read one by one.
 * A subquery inside the comparison would not pass row-level security as an index condition and would read the whole
 * chain.
 */
export const INDEXED_THROUGH: SQL = sql.raw(
  "LATERAL (SELECT COALESCE((SELECT max(s.last_seq) FROM audit_segments s WHERE s.org_id = o.id), 0) AS through OFFSET 0) i",
);

const END_OF_CHAIN = sql.raw("9223372036854775807");

/**
 * Rows `a` of each organization `o` in a span of its chain, by expressions over `o`. Always names both ends: for an
 * open span the planner expects a third of the table and scans it whole.
 */
export const rowsBetween = (after: SQL, through: SQL = END_OF_CHAIN): SQL =>
  sql`LATERAL (SELECT * FROM audit_logs l WHERE l.org_id = o.id AND l.chain_seq BETWEEN ${after} + 1 AND ${through} OFFSET 0) a`;

/** Rows newer than a cursor in (timestamp, sequence, organization) order. */
function newerThan({ ms, seq, orgId }: Cursor): SQL {
  const at = sql`${new Date(ms).toISOString()}::timestamptz`;
  return sql`(a."timestamp", a.chain_seq) >= (${at}, ${seq}::bigint) AND (a."timestamp", a.chain_seq, a.org_id) > (${at}, ${seq}::bigint, ${orgId}::uuid)`;
}

export type RowWindow = {
  conditions: SQL[];
  /** Only rows after the cursor in the list: older ones, nearest first. */
  after?: Cursor | undefined;
  /** Only rows before the cursor in the list: newer ones, nearest first. */
  before?: Cursor | undefined;
  offset?: number;
  limit: number;
};

/**
 * Keys of the newest matches, as a query along the time index of audit_logs. Takes the newest of each organization and
 * merges: ORDER BY over org_id = ANY(…) would read everything.
 */
export function newestKeys(
  orgIds: readonly string[],
  { conditions, after, before, offset = 0, limit }: RowWindow,
  columns: SQL = sql.raw(`a.org_id, a.chain_seq, a."timestamp"`),
): SQL {
  const where = allOf([...conditions, ...(after ? [olderThan(after)] : []), ...(before ? [newerThan(before)] : [])]);
  const order = sql.raw(before ? "ASC" : "DESC");
  if (orgIds.length === 1)
    return sql`SELECT ${columns} FROM audit_logs a WHERE a.org_id = ${orgIds[0]}::uuid AND ${where}
      ORDER BY a."timestamp" ${order}, a.chain_seq ${order} LIMIT ${limit} OFFSET ${offset}`;
  return sql`SELECT n.* FROM ${layout().eachOf(orgIds)}, LATERAL (
      SELECT ${columns} FROM audit_logs a WHERE a.org_id = o.id AND ${where}
      ORDER BY a."timestamp" ${order}, a.chain_seq ${order} LIMIT ${limit + offset}
    ) n ORDER BY n."timestamp" ${order}, n.chain_seq ${order}, n.org_id ${order} LIMIT ${limit} OFFSET ${offset}`;
}

/** Keys of the newest matches of some organizations, along the time index. */
export const keysByTime = (tx: Tx, orgIds: readonly string[], window: RowWindow): Promise<Found[]> =>
  rowsOf(tx, sql`SELECT ${KEY} FROM (${newestKeys(orgIds, window)}) a ${NEWEST_FIRST}`);

/** Runs a query of full rows and adds names, newest first. */
export const withNames = <Row>(tx: Tx, rows: SQL, { output }: Shape<Row>): Promise<Row[]> =>
  rowsOf(
    tx,
    sql`WITH rows AS MATERIALIZED (${rows}) SELECT ${output} FROM rows p ${NAMES}
    ORDER BY p."timestamp" DESC, p.chain_seq DESC, p.org_id DESC`,
  );

const DEEP = 1_000;

/** Newest matches of some organizations, along the time index. */
export async function newestRows<Row>(
  tx: Tx,
  { orgIds, shape, ...window }: RowWindow & { orgIds: readonly string[]; shape: Shape<Row> },
): Promise<Row[]> {
  if (orgIds.length === 0) return [];
  // Skipped rows and rows displaced by another organization's should not be fetched from the table.
  const direct = orgIds.length === 1 && (window.offset ?? 0) < DEEP;
  const { columns } = shape;
  const rows = direct
    ? newestKeys(orgIds, window, columns)
    : sql`SELECT ${columns} FROM ${layout().rowsAt(newestKeys(orgIds, window))}`;
  return withNames(tx, rows, shape);
}

/** The rows of some keys, newest first. */
export const rowsByKey = async <Row>(tx: Tx, keys: readonly Key[], shape: Shape<Row>): Promise<Row[]> =>
  keys.length === 0 ? [] : withNames(tx, sql`SELECT ${shape.columns} FROM ${layout().rowsAt(keyRows(keys))}`, shape);

/** Keys as a query of (organization, sequence, nothing). */
export const keyRows = (keys: readonly Key[]): SQL =>
  sql`SELECT k.org_id, k.chain_seq, NULL::timestamptz FROM unnest(${uuids(keys.map((k) => k.orgId))}, ${sql.param(keys.map((k) => k.seq))}::bigint[]) AS k(org_id, chain_seq)`;

export async function rowOfId(tx: Tx, orgIds: readonly string[], id: string): Promise<EntryRow | undefined> {
  const [row] = await withNames<EntryRow>(
    tx,
    sql`SELECT ${ENTRY.columns} FROM audit_logs a WHERE a.id = ${id}::uuid AND a.org_id = ANY (${uuids(orgIds)})`,
    ENTRY,
  );
  return row;
}
