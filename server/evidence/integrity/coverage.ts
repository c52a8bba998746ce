import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** Every retained row must have been read within so long. */
export const READ_WITHIN_DAYS = 31;

/**
 * retained: rows that the chain holds; through: the last of them that the nightly run or a signing has reached; unread:
 * those up to there that no verification has read within the last 31 days. isBroken: a run found a break, and none has ended
 * that since; lastReasons: why the newest run of the whole chain, or of the night, or any that found a break, did not prove
 * it; lastFullAt and lastFullStatus: of the newest run of the whole chain; lastRanAt and lastRows: when the newest of all
 * these ran and how many rows it read.
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

/** Of an organization that has no history. */
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

/** Until when the database takes a time for one that has been: clocks of machines differ a little. */
export const LATEST = sql`(now() + interval '1 hour')`;

/**
 * Whether a time is none that a clock wrote which ran ahead. A verification of next year would be the newest until then,
 * and its rows read; nothing can correct it.
 */
export const isInTime = (at: SQLWrapper): SQL => sql`${at} <= ${LATEST}`;

const IN_TIME = isInTime(sql`v.ran_at`);
const RECENT = sql`v.ran_at > now() - make_interval(days => ${READ_WITHIN_DAYS}) AND ${IN_TIME}
  AND v.status <> 'broken' AND v.kind IN ('nightly', 'whole')`;
const iso = (column: string) => sql.raw(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** The newest run of a chain `o` that says in what state the whole of it is: any that found a break does. */
const NEWEST_RUN = sql`FROM audit_verifications v
  WHERE v.org_id = o.id AND (v.kind IN ('nightly', 'whole') OR v.status = 'broken') AND ${IN_TIME}
  ORDER BY v.ran_at DESC LIMIT 1`;

/** Whether a run ends what earlier ones found, as endsAlarm() has it: a night without a slice has read the whole chain. */
const ENDS = sql`((v.kind = 'whole' OR (v.kind = 'nightly' AND v.rolling_through_seq IS NULL))
  AND (v.status IN ('intact', 'empty') OR (v.status = 'unproven' AND v.covered_through_seq IS NOT NULL)))`;

/**
 * The newest run of a chain `o` that found a break, or ended what earlier ones had found: a night that found nothing in its
 * part does neither. One probe of audit_verifications_deciding_idx, which has these words.
 */
export const DECIDING_RUN = sql`FROM audit_verifications v
  WHERE v.org_id = o.id AND (v.status = 'broken' OR ${ENDS}) AND ${IN_TIME}
  ORDER BY v.ran_at DESC LIMIT 1`;

/** The rows from the first to the last of what a run read, or of its slice. */
const rowsFrom = (first: string, last: string, there: string) =>
  sql.raw(`coalesce(range_agg(int8range(${first}, ${last}, '[]')) FILTER (WHERE ${there} IS NOT NULL), '{}')`);

/**
 * What verifications and signings have read of some chains, from what is kept of them: a few index probes a chain, no
 * row of it but the first and the last. Runs over one range of times or one part prove nothing here.
 * @param signed how many rows the newest checkpoint of each chain covers, 0 without one
 */
export function coverageOf(tx: Tx, signed: ReadonlyMap<string, number>): Promise<Coverage[]> {
  // The signer reads every row once, between the checkpoint before it and the one that first covers it.
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
