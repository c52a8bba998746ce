import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { checksumOf } from "@/server/evidence/chain/chain-hash";
import { readChainRows } from "@/server/evidence/chain/copy-rows";
import { readOwnReceipt } from "@/server/evidence/chain/note-signature";
import { type Anchor, type Break, breakOf } from "@/server/evidence/chain/verifier";
import { newestReceipt } from "@/server/evidence/checkpoints/note-store";
import { FIRST_WINDOW, type Window, windowText } from "@/server/evidence/tree/statement";

/** An entry without a window counts as 0 days, which no policy has. */
const changeDetails = z.object({ after: z.object({ retentionDays: z.int() }) }).catch({ after: { retentionDays: 0 } });

/** Retention window, and the chain entry that set it; null if that entry was pruned itself. */
export type SealedWindow = Window & { entry: Anchor | null };

/** The entry that set a window, with its checksum computed from its contents. */
async function changeAt(tx: Tx, orgId: string, seq: number): Promise<SealedWindow | null> {
  const [row] = await readChainRows(tx, orgId, { first: seq, last: seq });
  if (!row) return null;
  const { after } = changeDetails.parse(JSON.parse(row.details ?? "null"));
  return { days: after.retentionDays, policySeq: seq, entry: { seq, checksum: checksumOf(row) } };
}

/**
 * Retention window of an organization: from the newest log entry that set it or, if pruned, from the receipt for its
 * removal; and from the policy in the database, which must agree.
 * @returns null without a policy: nothing is ever removed
 */
export async function readWindow(tx: Tx, orgId: string): Promise<{ window: SealedWindow; other: Break | null } | null> {
  // One statement, because a change commits its entry and the policy together.
  const [kept] = await rowsOf<{ days: number; seq: string | null }>(
    tx,
    sql`SELECT p.retention_days AS days, (
        SELECT max(a.chain_seq) FROM audit_logs a
        WHERE a.org_id = ${orgId} AND a.action = 'organization.audit_retention.update') AS seq
      FROM audit_retention_policies p WHERE p.org_id = ${orgId}`,
  );
  if (!kept) return null;
  const note = await newestReceipt(tx, orgId);
  const receipt = note && readOwnReceipt(orgId, note.note);
  const seq = Number(kept.seq ?? 0);
  const change = seq > 0 && seq >= (receipt?.policySeq ?? 0) ? await changeAt(tx, orgId, seq) : null;
  const window = change ?? { ...(receipt ?? FIRST_WINDOW), entry: null };
  if (window.days === kept.days) return { window, other: null };
  const actual = `a policy of ${kept.days} days, which no entry set`;
  return { window, other: breakOf({ seq: window.policySeq, kind: "altered", expected: windowText(window), actual }) };
}
