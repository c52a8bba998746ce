import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** Every retained row must be read at least this often. */
export const READ_WITHIN_DAYS = 31;

/**
 * retained: rows in the chain; through: last row reached by the nightly run or a signing; unread: rows up to there that
 * no verification read in 31 days. isBroken: a run found a break that none has ended since; lastReasons: why the newest
 * whole, nightly or breaking run did not prove it; lastFullAt and lastFullStatus: newest run of the whole chain;
 * lastRanAt and lastRows: time and rows of the newest of all these.
 */
export type Coverage = {
  orgId: string;
  retained: number;
  through: number;
  unread: number;
  isBroken: boolean;
  lastReasons: string[];
  lastRanAt: string | null;
  lastRows: number | null;
  lastFullAt: string | null;
  lastFullStatus: "intact" | "broken" | "unproven" | "empty" | null;
};

/** Coverage of an organization without history. */
export const NOTHING: Omit<Coverage, "orgId"> = {
  retained: 0,
  through: 0,
  unread: 0,
  isBroken: false,
  lastReasons: [],
  lastRanAt: null,
  lastRows: null,
  lastFullAt: null,
  lastFullStatus: null,
};

/** Latest time that the database accepts as past: clocks of machines differ a little. */
export const LATEST = sql`(now() + interval '1 hour')`;

/**
 * True unless a fast clock wrote the time. A verification dated next year would be the newest until then, with its rows
 * counted as read, and nothing can correct it.
 */
export const isInTime = (at: SQLWrapper): SQL => sql`${at} <= ${LATEST}`;

const IN_TIME = isInTime(sql`v.ran_at`);
const RECENT = sql`v.ran_at > now() - make_interval(days => ${READ_WITHIN_DAYS}) AND ${IN_TIME}
  AND v.status <> 'broken' AND v.kind IN ('nightly', 'whole')`;
const iso = (column: string) => sql.raw(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** Newest run of a chain `o` that determines its state; every run that found a break does. */
const NEWEST_RUN = sql`FROM audit_verifications v
  WHERE v.org_id = o.id AND (v.kind IN ('nightly', 'whole') OR v.status = 'broken') AND ${IN_TIME}
  ORDER BY v.ran_at DESC LIMIT 1`;

/** True if a run ends earlier findings, as endsAlarm() does: a night without a slice read the whole chain. */
const ENDS = sql`((v.kind = 'whole' OR (v.kind = 'nightly' AND v.rolling_through_seq IS NULL))
  AND (v.status IN ('intact', 'empty') OR (v.status = 'unproven' AND v.covered_through_seq IS NOT NULL)))`;

/**
 * Newest run of a chain `o` that found a break or ended earlier ones; a clean night over a part does neither. One probe
 * of audit_verifications_deciding_idx, whose text this must match.
 */
export const DECIDING_RUN = sql`FROM audit_verifications v
  WHERE v.org_id = o.id AND (v.status = 'broken' OR ${ENDS}) AND ${IN_TIME}
  ORDER BY v.ran_at DESC LIMIT 1`;

/** Rows from first to last of a run or its slice. */
const rowsFrom = (first: string, last: string, there: string) =>
  sql.raw(`coalesce(range_agg(int8range(${first}, ${last}, '[]')) FILTER (WHERE ${there} IS NOT NULL), '{}')`);

/**
 * Coverage of some chains by verifications and signings, from stored results: a few index probes per chain, and only
 * its first and last row. Runs over a time range or a part prove nothing here.
 * @param signed rows covered by the newest checkpoint of each chain, 0 without one
 */
export function coverageOf(tx: Tx, signed: ReadonlyMap<string, number>): Promise<Coverage[]> {
  // The signer reads every row once, between the previous checkpoint and the first that covers it.
  return rowsOf<Coverage>(
    tx,
    sql`SELECT o.id AS "orgId", coalesce(o.last - o.first + 1, 0)::float8 AS retained, o.through::float8 AS through,
      coalesce((SELECT sum(upper(gap) - lower(gap)) FROM unnest(
        int8multirange(int8range(o.first, greatest(o.through + 1, o.first), '[)')) - o.rows) AS gap), 0)::float8 AS unread,
      coalesce(d.status = 'broken', false) AS "isBroken", coalesce(r.reasons, '[]'::jsonb) AS "lastReasons", ${iso("r.ran_at")} AS "lastRanAt",
      r.rows_checked::float8 AS "lastRows",
      ${iso("w.ran_at")} AS "lastFullAt", w.status AS "lastFullStatus"
    FROM (
      -- LEAST passes over NULL: what nothing has reached is no end of the chain.
      SELECT o.id, f.first, l.last, p.rows,
        CASE WHEN l.last IS NULL OR isempty(p.rows) THEN 0 ELSE least(upper(p.rows) - 1, l.last) END AS through
      FROM ${layout().eachWith(signed)}
        LEFT JOIN LATERAL (SELECT a.chain_seq AS first FROM audit_logs a
          WHERE a.org_id = o.id AND a.chain_seq IS NOT NULL ORDER BY a.chain_seq LIMIT 1) f ON true
        LEFT JOIN LATERAL (SELECT a.chain_seq AS last FROM audit_logs a
          WHERE a.org_id = o.id AND a.chain_seq IS NOT NULL ORDER BY a.chain_seq DESC LIMIT 1) l ON true
        LEFT JOIN LATERAL (
          SELECT least(n.size, o.n) AS size FROM audit_notes n
          WHERE n.org_id = o.id AND n.kind = 'checkpoint'
            AND n.signed_at <= now() - make_interval(days => ${READ_WITHIN_DAYS})
          ORDER BY n.signed_at DESC, n.size DESC LIMIT 1) s ON true
        CROSS JOIN LATERAL (
          SELECT ${rowsFrom("v.first_seq", "v.last_seq", "v.first_seq")}
            + ${rowsFrom("(v.slice->>'first')::bigint", "(v.slice->>'last')::bigint", "v.slice")}
            + int8multirange(int8range(coalesce(s.size, 0), o.n, '(]')) AS rows
          FROM audit_verifications v WHERE v.org_id = o.id AND ${RECENT}) p) o
      LEFT JOIN LATERAL (
        SELECT v.reasons, v.ran_at, v.rows_checked ${NEWEST_RUN}) r ON true
      LEFT JOIN LATERAL (
        SELECT v.status ${DECIDING_RUN}) d ON true
      LEFT JOIN LATERAL (
        SELECT v.status, v.ran_at FROM audit_verifications v
        WHERE v.org_id = o.id AND v.kind = 'whole' AND ${IN_TIME} ORDER BY v.ran_at DESC LIMIT 1) w ON true`,
  );
}
