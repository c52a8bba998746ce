import { readNewestCheckpoint } from "@/server/audit/chain/checkpoint-store";
import { backgroundLoop } from "@/server/process/background-loop";
import { type Head, listHeads, signCheckpoint } from "./checkpoints";

/** Every moved head is signed once its last checkpoint is this old, or this many rows behind. */
const CHECKPOINT_EVERY_MS = 60_000;
const CHECKPOINT_EVERY_ROWS = 1_000;
const POLL_MS = 5_000;

type Signed = { seq: number; at: number };
const signed = new Map<string, Signed>();

/** What was signed last, as kept on disk; read once per organization. */
async function lastSigned(orgId: string): Promise<Signed> {
  const known = signed.get(orgId);
  if (known) return known;
  const last = await readNewestCheckpoint(orgId);
  const found = last ? { seq: last.seq, at: Date.parse(last.signedAt) } : { seq: 0, at: 0 };
  signed.set(orgId, found);
  return found;
}

/** Signs the head if it is due. A refused one is tried again after the next period, not at every poll. */
async function signIfDue(head: Head, now: number): Promise<void> {
  const { seq, at } = await lastSigned(head.orgId);
  const isDue = head.seq !== seq && (head.seq - seq >= CHECKPOINT_EVERY_ROWS || now - at >= CHECKPOINT_EVERY_MS);
  if (!isDue) return;
  const checkpoint = await signCheckpoint(head.orgId, new Date(now));
  signed.set(head.orgId, { seq: checkpoint?.seq ?? seq, at: now });
}

/** Signs moved heads. Every process with workers keeps checkpoints of its own, outside the database. */
export const checkpointWorker = backgroundLoop("audit checkpoints", POLL_MS, async (stopping) => {
  for (const head of await listHeads()) {
    if (stopping.aborted) return;
    await signIfDue(head, Date.now());
  }
});
