import { keepCheckpoint, readNewestCheckpoint, type StoredCheckpoint } from "@/server/audit/chain/checkpoint-store";
import { type Checkpoint, signNote } from "@/server/audit/chain/note";
import { signerName, signingKeys } from "@/server/audit/chain/signing-key";
import { verifyChain } from "@/server/audit/chain/verify";
import { systemCtx } from "@/server/context";
import { raiseAlarm } from "./alarm";

/**
 * Signs a note of version 1 for a bundle of version 1, after checking that it extends the last checkpoint kept outside the database; one that
 * does not is not signed but raises the alarm.
 * @returns the new checkpoint, the last one when the head has not moved, or null when it was refused or there is no row
 */
export async function signOldCheckpoint(orgId: string, now: Date = new Date()): Promise<StoredCheckpoint | null> {
  const last = await readNewestCheckpoint(orgId);
  const found = await verifyChain(systemCtx(), {
    orgId,
    fromSeq: Math.max(1, last?.seq ?? 1),
    toSeq: Number.MAX_SAFE_INTEGER,
  });
  if (found.status === "broken") {
    await raiseAlarm({ orgId, at: now.toISOString(), source: "checkpoint", breaks: found.breaks });
    return null;
  }
  if (!found.head) return null;
  if (last && last.seq === found.head.seq) return last;
  const checkpoint: Checkpoint = { orgId, ...found.head, signedAt: now.toISOString() };
  const stored = { ...checkpoint, note: signNote(signerName(), checkpoint, signingKeys()) };
  await keepCheckpoint(stored);
  return stored;
}
