import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { PruneReceipt } from "@/server/evidence/tree/statement";
import { DAY_MS } from "@/server/ground/time/durations";

/**
 * Before there were signed receipts, pruning left a row in the log itself, which proves nothing. It counts
 * once, when the tree of such a log is begun: what it says is then signed.
 */

type Details = { firstSeq: number; lastSeq: number; count: number; lastChecksum: string; retentionDays: number };
type Pruned = { through: number; checksum: string | null };

/** Rows for one sequence that are looked at; there is one, unless it was copied. */
const MAX_ROWS = 20;

/** Whether all five members agree with each other and with the head. */
function agrees(details: Partial<Details>, { through, checksum }: Pruned): boolean {
  const { firstSeq, lastSeq, count, lastChecksum, retentionDays } = details;
  const numbers = [firstSeq, lastSeq, count, retentionDays].every(Number.isSafeInteger);
  const counts = Number(lastSeq) - Number(firstSeq) + 1 === count && lastSeq === through;
  return numbers && counts && lastChecksum === checksum;
}

/** The oldest row about this pruning, by the platform itself, as what a receipt says; null without one. */
export async function findOldReceipt(
  tx: Tx,
  orgId: string,
  pruned: Pruned,
): Promise<Pick<PruneReceipt, "through" | "before" | "days"> | null> {
  const rows = await rowsOf<{ details: Partial<Details>; ms: string }>(
    tx,
    sql`SELECT details, audit_ms("timestamp") AS ms FROM audit_logs
      WHERE org_id = ${orgId} AND action = 'audit.retention.prune' AND actor_type = 'system'
        AND details @> jsonb_build_object('lastSeq', ${pruned.through}::bigint)
      ORDER BY chain_seq LIMIT ${MAX_ROWS}`,
  );
  const found = rows.find(({ details }) => agrees(details, pruned));
  if (!found) return null;
  const days = Number(found.details.retentionDays);
  const before = new Date(Number(found.ms) - days * DAY_MS).toISOString();
  return { through: pruned.through, before, days };
}
