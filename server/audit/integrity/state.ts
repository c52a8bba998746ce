import { sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { newestCheckpoint } from "@/server/audit/checkpoints/note-store";
import { treeProgress } from "@/server/audit/checkpoints/progress";
import type { Scope } from "@/server/context";
import { type Alarm, openAlarms } from "./alarm";
import type { ChainState } from "./schema";

/** Every retained row must have been read within so long. */
const READ_WITHIN_DAYS = 31;

type Coverage = { retained: number; through: number; unread: number };

/**
 * How many of the retained rows, through the last that the nightly run or a signing has reached, no verification has
 * read within the last 31 days. Runs over one range of times or one part prove nothing here.
 */
async function coverageOf(tx: Tx, orgId: string): Promise<Coverage> {
  const recent = sql`org_id = ${orgId} AND ran_at > now() - make_interval(days => ${READ_WITHIN_DAYS})
    AND status <> 'broken' AND kind IN ('nightly', 'whole')`;
  const newest = (await newestCheckpoint(tx, orgId))?.size ?? 0;
  // The signer reads every row once, between the checkpoint before it and the one that first covers it.
  const [row] = await rowsOf<Coverage>(
    tx,
    sql`WITH chain AS (
        SELECT min(chain_seq) AS first, max(chain_seq) AS last FROM (
          (SELECT chain_seq FROM audit_logs WHERE org_id = ${orgId} AND chain_seq IS NOT NULL ORDER BY chain_seq LIMIT 1)
          UNION ALL
          (SELECT chain_seq FROM audit_logs WHERE org_id = ${orgId} AND chain_seq IS NOT NULL
            ORDER BY chain_seq DESC LIMIT 1)) ends),
      runs AS (
        SELECT int8range(first_seq, last_seq, '[]') AS part FROM audit_verifications
        WHERE ${recent} AND first_seq IS NOT NULL
        UNION ALL
        SELECT int8range((slice->>'first')::bigint, (slice->>'last')::bigint, '[]') FROM audit_verifications
        WHERE ${recent} AND slice IS NOT NULL
        UNION ALL
        SELECT int8range(coalesce(max(size), 0), ${newest}::bigint, '(]') FROM audit_notes
        WHERE org_id = ${orgId} AND kind = 'checkpoint' AND size <= ${newest}::bigint
          AND signed_at <= now() - make_interval(days => ${READ_WITHIN_DAYS})),
      reached AS (SELECT least(max(upper(part)) - 1, (SELECT last FROM chain)) AS through FROM runs),
      claimed AS (
        SELECT c.first, r.through, int8multirange(int8range(c.first, greatest(r.through, c.first - 1), '[]')) AS rows
        FROM chain c CROSS JOIN reached r)
    SELECT coalesce((SELECT last - first + 1 FROM chain), 0)::float8 AS retained,
      coalesce(c.through, 0)::float8 AS through,
      coalesce((
        SELECT sum(upper(gap) - lower(gap))
        FROM unnest(c.rows - (SELECT coalesce(range_agg(part), '{}'::int8multirange) FROM runs)) AS gap), 0)::float8
        AS unread
    FROM claimed c`,
  );
  return row ?? { retained: 0, through: 0, unread: 0 };
}

const rowsWord = new Intl.NumberFormat("en-GB");

/** Why the chain is not read at all yet. */
async function unreadReason(orgId: string): Promise<string> {
  const built = await treeProgress(orgId);
  return built === null
    ? "No verification has read it yet."
    : `The tree over it is being built, ${Math.floor(built * 100)} %.`;
}

function stateOf({ retained, through, unread }: Coverage, alarm: Alarm | undefined, lastReasons: string[]): ChainState {
  if (alarm) return { status: "broken", throughSeq: null, rowsUnread: unread, reasons: [] };
  if (retained === 0) return { status: "empty", throughSeq: null, rowsUnread: 0, reasons: [] };
  if (through === 0)
    return {
      status: "unproven",
      throughSeq: null,
      rowsUnread: retained,
      reasons: ["No verification has read it yet."],
    };
  const reasons = [
    ...(unread > 0
      ? [`${rowsWord.format(unread)} entries have not been read within the last ${READ_WITHIN_DAYS} days.`]
      : []),
    ...lastReasons,
  ];
  return { status: reasons.length > 0 ? "unproven" : "intact", throughSeq: through, rowsUnread: unread, reasons };
}

/** Why the newest run of the whole chain, or of the night, was not proven; none when it was. */
async function lastReasonsOf(tx: Tx, orgId: string): Promise<string[]> {
  const [row] = await rowsOf<{ reasons: string[] }>(
    tx,
    sql`SELECT reasons FROM audit_verifications WHERE org_id = ${orgId} AND kind IN ('nightly', 'whole')
      ORDER BY ran_at DESC LIMIT 1`,
  );
  return row?.reasons ?? [];
}

/** The state of an organization's whole chain, from what is known without reading it. */
export async function readState(scope: Scope, orgId: string): Promise<{ state: ChainState; alarm: Alarm | null }> {
  const alarm = (await openAlarms(scope)).find((open) => open.orgId === orgId);
  const [coverage, reasons] = await tenant(scope, async (tx) => [
    await coverageOf(tx, orgId),
    await lastReasonsOf(tx, orgId),
  ]);
  if (coverage.through === 0) reasons.push(await unreadReason(orgId));
  return { state: stateOf(coverage, alarm, reasons), alarm: alarm ?? null };
}
