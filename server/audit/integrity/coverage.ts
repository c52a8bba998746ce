import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** Every retained row must have been read within so long. */
export const READ_WITHIN_DAYS = 31;

/**
 * retained: rows that the chain holds; through: the last of them that the nightly run or a signing has reached; unread:
 * those up to there that no verification has read within the last 31 days. lastStatus, lastReasons: what the newest run
 * of the whole chain, or of the night, or any that found a break, found, and why it was not proven; lastFull: the newest
 * run of the whole chain; lastRanAt: the newest of all these.
 */
export type Coverage = {
  orgId: string;
  retained: number;
  through: number;
  unread: number;
  lastStatus: "intact" | "broken" | "unproven" | "empty" | null;
  lastReasons: string[];
  lastRanAt: string | null;
  lastFullAt: string | null;
  lastFullStatus: "intact" | "broken" | "unproven" | "empty" | null;
};

/** A chain and how many rows its newest checkpoint covers, 0 without one. */
export type SignedChain = { orgId: string; newest: number };

const RECENT = sql`v.ran_at > now() - make_interval(days => ${READ_WITHIN_DAYS})
  AND v.status <> 'broken' AND v.kind IN ('nightly', 'whole')`;
const iso = (column: string) => sql.raw(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** The newest run of a chain `o` that says how the whole of it stands: any that found a break does. */
export const NEWEST_RUN = sql`FROM audit_verifications v
  WHERE v.org_id = o.id AND (v.kind IN ('nightly', 'whole') OR v.status = 'broken') ORDER BY v.ran_at DESC LIMIT 1`;

/**
 * What verifications and signings have read of some chains, from what is kept of them: a few index probes a chain, no
 * row of it but the first and the last. Runs over one range of times or one part prove nothing here.
 */
export function coverageOf(tx: Tx, chains: readonly SignedChain[]): Promise<Coverage[]> {
  const ids = sql.param(chains.map(({ orgId }) => orgId));
  const sizes = sql.param(chains.map(({ newest }) => newest));
  // The signer reads every row once, between the checkpoint before it and the one that first covers it.
  return rowsOf<Coverage>(
    tx,
    sql`WITH o AS MATERIALIZED (SELECT * FROM unnest(${ids}::uuid[], ${sizes}::bigint[]) AS o(id, newest)),
      chain AS MATERIALIZED (
        SELECT o.id, f.first, l.last
        FROM o,
          LATERAL (SELECT a.chain_seq AS first FROM audit_logs a
            WHERE a.org_id = o.id AND a.chain_seq IS NOT NULL ORDER BY a.chain_seq LIMIT 1) f,
          LATERAL (SELECT a.chain_seq AS last FROM audit_logs a
            WHERE a.org_id = o.id AND a.chain_seq IS NOT NULL ORDER BY a.chain_seq DESC LIMIT 1) l),
      recent AS MATERIALIZED (
        -- OFFSET 0: by the index for each chain, not by reading the runs of all chains there are.
        SELECT o.id, r.first_seq, r.last_seq, r.slice
        FROM o, LATERAL (SELECT v.first_seq, v.last_seq, v.slice FROM audit_verifications v
          WHERE v.org_id = o.id AND ${RECENT} OFFSET 0) r),
      parts AS (
        SELECT id, int8range(first_seq, last_seq, '[]') AS part FROM recent WHERE first_seq IS NOT NULL
        UNION ALL
        SELECT id, int8range((slice->>'first')::bigint, (slice->>'last')::bigint, '[]') FROM recent
        WHERE slice IS NOT NULL
        UNION ALL
        SELECT o.id, int8range(coalesce(s.size, 0), o.newest, '(]')
        FROM o LEFT JOIN LATERAL (
          SELECT least(n.size, o.newest) AS size FROM audit_notes n
          WHERE n.org_id = o.id AND n.kind = 'checkpoint'
            AND n.signed_at <= now() - make_interval(days => ${READ_WITHIN_DAYS})
          ORDER BY n.signed_at DESC, n.size DESC LIMIT 1) s ON true),
      covered AS (SELECT id, range_agg(part) AS rows, max(upper(part)) - 1 AS reach FROM parts GROUP BY id),
      -- LEAST passes over NULL: what nothing has reached is no end of the chain.
      reached AS (
        SELECT c.id, c.first, c.last, v.rows, CASE WHEN v.reach IS NULL THEN 0 ELSE least(v.reach, c.last) END AS through
        FROM chain c LEFT JOIN covered v ON v.id = c.id),
      claimed AS (
        SELECT r.*, int8multirange(int8range(r.first, greatest(r.through + 1, r.first), '[)')) AS claim FROM reached r)
    SELECT o.id AS "orgId", coalesce(c.last - c.first + 1, 0)::float8 AS retained,
      coalesce(c.through, 0)::float8 AS through,
      coalesce((SELECT sum(upper(gap) - lower(gap)) FROM unnest(c.claim - c.rows) AS gap), 0)::float8 AS unread,
      r.status AS "lastStatus", coalesce(r.reasons, '[]'::jsonb) AS "lastReasons", ${iso("r.ran_at")} AS "lastRanAt",
      ${iso("w.ran_at")} AS "lastFullAt", w.status AS "lastFullStatus"
    FROM o LEFT JOIN claimed c ON c.id = o.id
      LEFT JOIN LATERAL (
        SELECT v.status, v.reasons, v.ran_at ${NEWEST_RUN}) r ON true
      LEFT JOIN LATERAL (
        SELECT v.status, v.ran_at FROM audit_verifications v
        WHERE v.org_id = o.id AND v.kind = 'whole' ORDER BY v.ran_at DESC LIMIT 1) w ON true`,
  );
}
