import { type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { layout } from "@/db/citus/layout";
import { bounded } from "@/server/ground/time/bounds";
import { HOUR_MS } from "@/server/ground/time/durations";
import { conditionsOf, type RowFilter, untimedConditions } from "./conditions";
import { allOf, RAW_ACTOR, rowsBetween } from "./rows";

/** The facts that tallies count by (db: audit_tally), and the same for single rows `a`. */
export type Shape = {
  table: string;
  spanMs: number;
  tally: string;
  row: string;
  groups: string;
};

const BIN = `timestamptz '1970-01-01T00:00:00Z'`;

/** (since, result, n): since is the hour. */
export const BY_HOUR: Shape = {
  table: "audit_tallies",
  spanMs: HOUR_MS,
  tally: "a.since, a.result, sum(a.rows) AS n",
  row: `date_bin('1 hour', a."timestamp", ${BIN}) AS since, a.result, count(*) AS n`,
  groups: "1, 2",
};
/** (action, n) */
export const BY_ACTION: Shape = {
  ...BY_HOUR,
  tally: "a.action, sum(a.rows) AS n",
  row: "a.action, count(*) AS n",
  groups: "1",
};
/** (action, actor_type, result, resource_type, n) */
export const BY_KIND: Shape = {
  ...BY_HOUR,
  tally: "a.action, a.actor_type, a.result, a.resource_type, sum(a.rows) AS n",
  row: "a.action, a.actor_type, a.result, a.resource_type, count(*) AS n",
  groups: "1, 2, 3, 4",
};
/** (org_id, n) */
export const BY_ORGANIZATION: Shape = {
  ...BY_HOUR,
  tally: "a.org_id, sum(a.rows) AS n",
  row: "a.org_id, count(*) AS n",
  groups: "1",
};
/** (org_id, since, result, n): since is the hour. */
export const BY_RESULT: Shape = {
  ...BY_HOUR,
  tally: "a.org_id, a.since, a.result, sum(a.rows) AS n",
  row: `a.org_id, date_bin('1 hour', a."timestamp", ${BIN}) AS since, a.result, count(*) AS n`,
  groups: "1, 2, 3",
};
/** (actor_type, actor_id, raw_id, email, last_at, n): for filters on time alone. */
export const BY_ACTOR: Shape = {
  table: "audit_actor_tallies",
  spanMs: 24 * HOUR_MS,
  tally: "a.actor_type, a.actor_id, a.raw_id, max(a.email) AS email, max(a.last_at) AS last_at, sum(a.rows) AS n",
  row: `a.actor_type, a.actor_id, ${RAW_ACTOR} AS raw_id,
    (array_agg(a.actor_email ORDER BY a."timestamp" DESC) FILTER (WHERE a.actor_email IS NOT NULL))[1] AS email,
    max(a."timestamp") AS last_at, count(*) AS n`,
  groups: "1, 2, 3",
};

export const TALLY_MS = BY_HOUR.spanMs;

const groupedBy = (groups: string): SQL => sql.raw(`GROUP BY ${groups}`);
const timestamp = (ms: number): SQL => sql`${new Date(bounded(ms)).toISOString()}::timestamptz`;

/**
 * Splits a range into whole tallies and the partial spans around them, ends included; null if it contains no whole
 * tally.
 */
function splitRange({ from, to }: RowFilter, span: number): { whole: SQL[]; edges: [number, number][] } | null {
  const [low, high] = [from?.getTime(), to?.getTime()];
  const start = low === undefined ? undefined : Math.ceil(low / span) * span;
  const end = high === undefined ? undefined : Math.floor((high + 1) / span) * span;
  if (low !== undefined && high !== undefined && start !== undefined && end !== undefined && start >= end) return null;
  const whole: SQL[] = [];
  const edges: [number, number][] = [];
  if (low !== undefined && start !== undefined) {
    whole.push(sql`a.since >= ${timestamp(start)}`);
    if (low < start) edges.push([low, start - 1]);
  }
  if (high !== undefined && end !== undefined) {
    whole.push(sql`a.since < ${timestamp(end)}`);
    if (end <= high) edges.push([end, high]);
  }
  return { whole, edges };
}

/** True if the range holds a whole hour; for a shorter one, reading rows is faster. */
export const holdsTally = (filter: RowFilter): boolean => !layout().isIndexed || splitRange(filter, TALLY_MS) !== null;

/**
 * Matches of a filter as rows of the shape, possibly several per group. Takes whole tallies; reads rows where retention
 * cut a slice, where the range cuts a tally, and past the indexer. The filter may only have conditions on the shape's
 * facts and time (isTallied). Without tallies it reads all rows.
 * @returns null if the range is shorter than a tally: reading its rows is faster
 */
export function talliedCounts(orgIds: readonly string[], filter: RowFilter, shape: Shape = BY_HOUR): SQL | null {
  if (!layout().isIndexed) return countedRows(orgIds, filter, shape);
  const range = splitRange(filter, shape.spanMs);
  if (!range) return null;
  const { table, tally, row, groups } = shape;
  const [rows, by] = [sql.raw(`SELECT ${row}`), groupedBy(groups)];
  const where = allOf(conditionsOf(filter));
  const kinds = allOf([...untimedConditions(filter), ...range.whole]);
  const edges = range.edges.map(
    ([first, last]) => sql`UNION ALL ${rows} FROM o, LATERAL (
        SELECT * FROM audit_logs l WHERE l.org_id = o.id AND l."timestamp" BETWEEN ${timestamp(first)} AND ${timestamp(last)} OFFSET 0) a
      WHERE a.chain_seq > o.cut AND a.chain_seq <= o.tallied AND ${where} ${by}`,
  );
  return sql`WITH h AS MATERIALIZED (
      SELECT h.org_id AS id, h.pruned_through_seq AS pruned, COALESCE((SELECT max(t.last_seq) FROM ${sql.raw(table)} t
        WHERE t.org_id = h.org_id AND t.first_seq <= h.pruned_through_seq AND t.last_seq > h.pruned_through_seq), h.pruned_through_seq) AS cut
      FROM audit_chain_heads_of(${uuids(orgIds)}) h),
    o AS MATERIALIZED (SELECT h.*, GREATEST(h.cut, COALESCE(s.tallied_through_seq, 0)) AS tallied FROM h LEFT JOIN audit_tally_state s ON s.org_id = h.id)
    SELECT ${sql.raw(tally)} FROM o JOIN ${sql.raw(table)} a ON a.org_id = o.id AND a.first_seq > o.pruned
      WHERE ${kinds} ${by}
    UNION ALL ${rows} FROM o, ${rowsBetween(sql`o.pruned`, sql`o.cut`)} WHERE ${where} ${by}
    UNION ALL ${rows} FROM o, ${rowsBetween(sql`o.tallied`)} WHERE ${where} ${by}
    ${sql.join(edges, sql` `)}`;
}

/** Rows `a` of a source, grouped by a shape. */
export const groupedRows = (source: SQL, { row, groups }: Shape): SQL =>
  sql`SELECT ${sql.raw(row)} FROM ${source} ${groupedBy(groups)}`;

/** Counts by reading the rows of the range. */
export const countedRows = (orgIds: readonly string[], filter: RowFilter, shape: Shape): SQL =>
  groupedRows(
    sql`${layout().eachOf(orgIds)} JOIN audit_logs a ON a.org_id = o.id WHERE ${allOf(conditionsOf(filter))}`,
    shape,
  );

/** Matches of a filter by a shape, from tallies or, for a range shorter than a tally, from its rows. */
export const countsBy = (orgIds: readonly string[], filter: RowFilter, shape: Shape): SQL =>
  talliedCounts(orgIds, filter, shape) ?? countedRows(orgIds, filter, shape);
