import { readLatest } from "@/server/evidence/checkpoints/folder";
import type { StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { witnessStateOf } from "@/server/evidence/checkpoints/witnessed";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { log } from "@/server/ground/log";
import { type Head, listHeads, signCheckpoint } from "./checkpoints";

/** A moved head is signed once its last checkpoint is this old or this many rows behind. */
const CHECKPOINT_EVERY_MS = 60_000;
const CHECKPOINT_EVERY_ROWS = 1_000;
/** Interval for showing a checkpoint without a quorum to witnesses again, even if the head does not move. */
const WITNESSES_EVERY_MS = 10 * 60_000;
const POLL_MS = 5_000;

/** Last checkpoint or attempt; size is -1 before the first. lacksQuorum: too few witnesses cosigned it. */
type Signed = { size: number; at: number; lacksQuorum: boolean };
const signed = new Map<string, Signed>();

const signedBy = ({ size, note }: StoredNote, at: number): Signed => ({
  size,
  at,
  lacksQuorum: witnessStateOf(note).state === "missing",
});

/** Last checkpoint on disk; read once per organization. */
async function lastSigned(orgId: string): Promise<Signed> {
  const known = signed.get(orgId);
  if (known) return known;
  const latest = await readLatest(orgId);
  const found = latest ? signedBy(latest, Date.parse(latest.signedAt)) : { size: -1, at: 0, lacksQuorum: false };
  signed.set(orgId, found);
  return found;
}

/** True if a moved head must be signed now, or an unmoved checkpoint shown to witnesses again. */
export function isDue({ seq }: Pick<Head, "seq">, { size, at, lacksQuorum }: Signed, now: number): boolean {
  if (seq === size) return lacksQuorum && now - at >= WITNESSES_EVERY_MS;
  return seq - size >= CHECKPOINT_EVERY_ROWS || now - at >= CHECKPOINT_EVERY_MS;
}

/** Signs the head if due. A refused one is retried after the next period, not at every poll. */
async function signIfDue(head: Head, now: number): Promise<void> {
  const before = await lastSigned(head.orgId);
  if (!isDue(head, before, now)) return;
  signed.set(head.orgId, { ...before, at: now });
  const checkpoint = await signCheckpoint(head.orgId, new Date(now));
  if (checkpoint) signed.set(head.orgId, signedBy(checkpoint, now));
}

/** Signs moved heads. Every process with workers keeps its own checkpoints outside the database. */
export const checkpointWorker = backgroundLoop("audit checkpoints", POLL_MS, async (stopping) => {
  for (const head of await listHeads()) {
    if (stopping.aborted) return;
    // A failure must not hold up other organizations.
    await signIfDue(head, Date.now()).catch((error: unknown) =>
      log.error({ err: error, orgId: head.orgId }, "a chain could not be signed"),
    );
  }
});
