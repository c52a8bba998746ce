import { type SQL, sql } from "drizzle-orm";
import { conditionsOf, type RowFilter, talliedConditions } from "./conditions";
import { allOf, rowsBetween } from "./rows";

/** The span of a tally (db: audit_search_tally), counted from 1970. */
export const TALLY_MS = 3_600_000;

const timestamp = (ms: number): SQL => sql`${new Date(ms).toISOString()}::timestamptz`;

/** A range as the whole tallies in it and the spans, ends included, that cut one; null when it holds no whole one. */
function splitRange({ from, to }: RowFilter): { whole: SQL[]; edges: [number, number][] } | null {
  const [low, high] = [from?.getTime(), to?.getTime()];
  const start = low === undefined ? undefined : Math.ceil(low / TALLY_MS) * TALLY_MS;
  const end = high === undefined ? undefined : Math.floor((high + 1) / TALLY_MS) * TALLY_MS;
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

const ROWS = sql.raw(
  `SELECT date_bin('1 hour', a."timestamp", timestamptz '1970-01-01T00:00:00Z') AS since, a.result, count(*) AS n`,
);

/**
 * How many rows meet a filter, by tally span and result, as rows (since, result, n), some of them for the same pair:
 * whole tallies are taken as they are; rows are counted one by one where retention has cut a slice, where the range cuts
 * a tally and where the indexer has not come yet. The filter has conditions on kind and time alone (isTallied).
 * @returns null when the range is shorter than a tally: then reading its rows is the shorter way
 */
export function talliedCounts(orgIds: readonly string[], filter: RowFilter): SQL | null {
  const range = splitRange(filter);
  if (!range) return null;
  const where = allOf(conditionsOf(filter));
  const kinds = allOf([...talliedConditions(filter), ...range.whole]);
  const edges = range.edges.map(
    ([first, last]) => sql`UNION ALL ${ROWS} FROM o, LATERAL (
        SELECT * FROM audit_logs l WHERE l.org_id = o.id AND l."timestamp" BETWEEN ${timestamp(first)} AND ${timestamp(last)} OFFSET 0) a
      WHERE a.chain_seq > o.cut AND a.chain_seq <= o.tallied AND ${where} GROUP BY 1, 2`,
  );
  return sql`WITH h AS MATERIALIZED (
      SELECT h.org_id AS id, h.pruned_through_seq AS pruned, COALESCE((SELECT max(t.last_seq) FROM audit_tallies t
        WHERE t.org_id = h.org_id AND t.first_seq <= h.pruned_through_seq AND t.last_seq > h.pruned_through_seq), h.pruned_through_seq) AS cut
      FROM audit_chain_heads_of(${sql.param([...orgIds])}::uuid[]) h),
    o AS MATERIALIZED (SELECT h.*, GREATEST(h.cut, COALESCE(s.tallied_through_seq, 0)) AS tallied FROM h LEFT JOIN audit_search_state s ON s.org_id = h.id)
    SELECT a.since, a.result, sum(a.rows) AS n FROM o JOIN audit_tallies a ON a.org_id = o.id AND a.first_seq > o.pruned WHERE ${kinds} GROUP BY 1, 2
    UNION ALL ${ROWS} FROM o, ${rowsBetween(sql`o.pruned`, sql`o.cut`)} WHERE ${where} GROUP BY 1, 2
    UNION ALL ${ROWS} FROM o, ${rowsBetween(sql`o.tallied`)} WHERE ${where} GROUP BY 1, 2
    ${sql.join(edges, sql` `)}`;
}
