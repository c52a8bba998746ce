import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { COLUMNS, FIELDS, type SqlRow } from "@/server/audit/row";
import type { Scope } from "@/server/context";
import type { Place } from "./cursor";

/** A stored row with the names that people know its actor by. */
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

/** What an export of many rows reads of each: a third of the bytes less. */
export type BodyRow = Omit<EntryRow, "error_message" | "checksum" | "prev_checksum" | "user_role" | "user_department">;

const BODY_FIELDS = FIELDS.filter((field) => field !== "timestamp" && field !== "errorMessage");
const BODY = [
  ...BODY_FIELDS.map((field) => (field === "details" ? "a.details::text AS details" : `a.${COLUMNS[field].sql}`)),
  `(extract(epoch FROM a."timestamp") * 1000)::float8 AS ms, a."timestamp", a.chain_seq`,
].join(", ");
/** People, keys and devices behind rows `p`; the raw id is looked for only where it can be there. */
const NAMES = sql.raw(
  `FROM rows p
   LEFT JOIN users u ON p.actor_type = 'user' AND u.id = p.actor_id
   LEFT JOIN api_keys k ON p.actor_type = 'api_key' AND k.id = p.actor_id
   LEFT JOIN agents g ON p.actor_type = 'agent' AND g.org_id = p.org_id
     AND g.id = COALESCE(CASE WHEN p.actor_id = '00000000-0000-0000-0000-000000000000' THEN p.details::jsonb ->> 'rawActorId' END, p.actor_id::text)
   LEFT JOIN devices d ON d.id = g.device_id
   ORDER BY p."timestamp" DESC, p.chain_seq DESC, p.org_id DESC`,
);

/** Which columns a query reads of rows `a`, and gives out of those `p` with their names. */
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

/** Joins conditions with AND; none is true. */
export const allOf = (conditions: SQL[]): SQL =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` AND `);

/** Rows older than a place in (timestamp, sequence, organization) order. */
export function before({ ms, seq, orgId }: Place): SQL {
  const at = sql`${new Date(ms).toISOString()}::timestamptz`;
  return sql`(a."timestamp", a.chain_seq) <= (${at}, ${seq}::bigint) AND (a."timestamp", a.chain_seq, a.org_id) < (${at}, ${seq}::bigint, ${orgId}::uuid)`;
}

/** The organizations of a scope. */
export async function reachedBy(tx: Tx, scope: Scope): Promise<readonly string[]> {
  if (scope.kind !== "system") return scope.orgIds;
  const rows = (await tx.execute(sql`SELECT id FROM organizations`)) as unknown as { id: string }[];
  return rows.map((row) => row.id);
}

/** Organizations as a set of rows `o(id)`. */
export const eachOf = (orgIds: readonly string[]): SQL => sql`unnest(${sql.param([...orgIds])}::uuid[]) AS o(id)`;

/**
 * How far the search index of each organization `o` has come, as a row `i(through)`: rows past it are looked at one by one.
 * A look-up inside the comparison would not pass row level security as an index condition: the whole chain would be read.
 */
export const INDEXED_THROUGH: SQL = sql.raw(
  "LATERAL (SELECT COALESCE((SELECT s.indexed_through_seq FROM audit_search_state s WHERE s.org_id = o.id), 0) AS through OFFSET 0) i",
);

const END_OF_CHAIN = sql.raw("9223372036854775807");

/**
 * Rows `a` of each organization `o` in a span of its chain, by expressions over `o`. Both ends are always named: of a span
 * with one end the planner believes that it holds a third of the table, and reads all of it.
 */
export const rowsBetween = (after: SQL, through: SQL = END_OF_CHAIN): SQL =>
  sql`LATERAL (SELECT * FROM audit_logs l WHERE l.org_id = o.id AND l.chain_seq BETWEEN ${after} + 1 AND ${through} OFFSET 0) a`;

export type RowWindow = { conditions: SQL[]; after?: Place | undefined; offset?: number; limit: number };

const NEWEST_FIRST = sql.raw(`ORDER BY a."timestamp" DESC, a.chain_seq DESC`);

/**
 * The places of the newest rows that meet the conditions, as a query over audit_logs' index by time. Over several
 * organizations the newest of each are taken and merged: ORDER BY over org_id = ANY(…) would read everything.
 */
export function newestPlaces(
  orgIds: readonly string[],
  { conditions, after, offset = 0, limit }: RowWindow,
  columns: SQL = sql.raw(`a.org_id, a.chain_seq, a."timestamp"`),
): SQL {
  const where = allOf(after ? [...conditions, before(after)] : conditions);
  if (orgIds.length === 1)
    return sql`SELECT ${columns} FROM audit_logs a WHERE a.org_id = ${orgIds[0]}::uuid AND ${where}
      ${NEWEST_FIRST} LIMIT ${limit} OFFSET ${offset}`;
  return sql`SELECT n.* FROM ${eachOf(orgIds)}, LATERAL (
      SELECT ${columns} FROM audit_logs a WHERE a.org_id = o.id AND ${where} ${NEWEST_FIRST} LIMIT ${limit + offset}
    ) n ORDER BY n."timestamp" DESC, n.chain_seq DESC, n.org_id DESC LIMIT ${limit} OFFSET ${offset}`;
}

/** Runs a query of full rows and gives each its names, newest first. */
export async function withNames<Row>(tx: Tx, rows: SQL, { output }: Shape<Row>): Promise<Row[]> {
  return (await tx.execute(sql`WITH rows AS MATERIALIZED (${rows}) SELECT ${output} ${NAMES}`)) as unknown as Row[];
}

/** The rows at some places; a place whose row is gone meanwhile gives none. */
const rowsAt = (
  places: SQL,
  columns: SQL,
): SQL => sql`SELECT ${columns} FROM (${places}) AS place(org_id, chain_seq, at),
  LATERAL (SELECT * FROM audit_logs l WHERE l.org_id = place.org_id AND l.chain_seq = place.chain_seq OFFSET 0) a`;

const DEEP = 1_000;

/** The newest rows of some organizations that meet the conditions, read along the index by time. */
export async function newestRows<Row = EntryRow>(
  tx: Tx,
  orgIds: readonly string[],
  window: RowWindow,
  shape: Shape<Row> = ENTRY as Shape<Row>,
): Promise<Row[]> {
  if (orgIds.length === 0) return [];
  // Rows that are only skipped, or that another organization's push out, are not worth a look at the table.
  const direct = orgIds.length === 1 && (window.offset ?? 0) < DEEP;
  const { columns } = shape;
  const rows = direct ? newestPlaces(orgIds, window, columns) : rowsAt(newestPlaces(orgIds, window), columns);
  return withNames(tx, rows, shape);
}

/** A row's place in its organization's chain. */
export type Key = { orgId: string; seq: string };

/** The rows of some places, newest first. */
export async function rowsOf<Row = EntryRow>(
  tx: Tx,
  keys: readonly Key[],
  shape: Shape<Row> = ENTRY as Shape<Row>,
): Promise<Row[]> {
  return keys.length === 0 ? [] : withNames(tx, rowsAt(placesOf(keys), shape.columns), shape);
}

/** Places as a query, for what joins their rows itself. */
export const placesOf = (keys: readonly Key[]): SQL =>
  sql`SELECT k.org_id, k.chain_seq, NULL::timestamptz FROM unnest(${sql.param(keys.map((k) => k.orgId))}::uuid[], ${sql.param(keys.map((k) => k.seq))}::bigint[]) AS k(org_id, chain_seq)`;

/** One row by its id. */
export async function rowOfId(tx: Tx, orgIds: readonly string[], id: string): Promise<EntryRow | undefined> {
  const [row] = await withNames<EntryRow>(
    tx,
    sql`SELECT ${ENTRY.columns} FROM audit_logs a WHERE a.id = ${id}::uuid AND a.org_id = ANY (${sql.param([...orgIds])}::uuid[])`,
    ENTRY,
  );
  return row;
}
