import { sql } from "drizzle-orm";
import type { Admin } from "@/db/admin";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { Break } from "@/server/audit/chain/verifier";
import { verifyChain } from "@/server/audit/chain/verify";
import { leafOf, sha256 } from "@/server/audit/checkpoints/hashing";
import { fromTree } from "@/server/audit/checkpoints/nodes";
import { newestReceipt } from "@/server/audit/checkpoints/note-store";
import { signReceipt } from "@/server/audit/checkpoints/receipts";
import { checkpointOf, type StoredNote } from "@/server/audit/checkpoints/stored-note";
import { TreeDamage } from "@/server/audit/checkpoints/tiles";
import { raiseAlarm } from "@/server/audit/integrity/alarm";
import { signCheckpoint } from "@/server/audit/integrity/checkpoints";
import { inclusionProof, verifyInclusion } from "@/server/audit/tree/tree";
import { systemCtx } from "@/server/context";
import { type Expired, findExpired } from "./expired";

/** What is broken is not removed: the chain contradicts itself or what was signed. */
class NotPermitted extends Error {}

/** Whether a row, and with it every row that it links back to, is in the tree that a checkpoint signed. */
async function isInTree({ orgId, size, note }: StoredNote, seq: number): Promise<boolean> {
  const root = checkpointOf({ note }).root;
  return asSystem(async (tx) => {
    const [row] = await rowsOf<{ checksum: string }>(
      tx,
      sql`SELECT checksum FROM audit_logs WHERE org_id = ${orgId} AND chain_seq = ${seq}`,
    );
    const index = seq - 1;
    const path = await fromTree(tx, { orgId, size }, (hash, node) => inclusionProof(hash, node, index, size));
    return row !== undefined && verifyInclusion(sha256, { index, size, leaf: leafOf(row.checksum), path, root });
  }).catch((error: unknown) => {
    if (error instanceof TreeDamage) return false;
    throw error;
  });
}

async function refuse(orgId: string, now: Date, breaks: Break[]): Promise<never> {
  await raiseAlarm({ orgId, at: now.toISOString(), source: "retention", breaks });
  throw new NotPermitted(
    `the rows to be removed are not intact (sequence ${breaks[0]?.seq}: ${breaks[0]?.kind}): nothing was removed`,
  );
}

/** The rows that would go, read whole and proven like any others. */
async function proveRows(orgId: string, { firstSeq, lastSeq }: Expired, now: Date): Promise<void> {
  const checkpoint = await signCheckpoint(orgId, now);
  if (!checkpoint || checkpoint.size < lastSeq)
    throw new NotPermitted("no checkpoint could be signed over the rows to be removed: nothing was removed");
  const found = await verifyChain(systemCtx(), { orgId, fromSeq: firstSeq, toSeq: lastSeq });
  if (found.breaks.length > 0) await refuse(orgId, now, found.breaks);
  if (!(await isInTree(checkpoint, lastSeq))) {
    const expected = `the entry that the signed checkpoint of ${checkpoint.size} entries covers`;
    await refuse(orgId, now, [{ seq: lastSeq, id: "", kind: "altered", expected, actual: "another one stands there" }]);
  }
}

/**
 * Proves, before the first row of a run goes, what has expired of a chain, and signs that retention may remove it. A run
 * that stopped half-way goes on under the receipt that it has.
 * @returns through which sequence rows may go, or null when nothing has expired
 * @throws NotPermitted after raising the alarm, when the rows are not intact
 */
export async function permitPruning(
  admin: Admin,
  orgId: string,
  { days, now = new Date() }: { days: number; now?: Date },
): Promise<number | null> {
  const expired = await admin.transaction((tx) => findExpired(tx, orgId, days));
  if (!expired || expired.lastSeq < expired.firstSeq) return null;
  const through = expired.lastSeq;
  await proveRows(orgId, expired, now);
  const receipt = await asSystem((tx) => newestReceipt(tx, orgId));
  if (receipt && receipt.size >= through) return through;
  const before = expired.cutoff.toISOString();
  await signReceipt(orgId, { through, before, days, signedAt: now.toISOString() });
  return through;
}
