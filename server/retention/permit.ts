import { asSystem } from "@/db/client";
import { UNDIVIDED } from "@/server/evidence/chain/runs/read-runs";
import type { Break } from "@/server/evidence/chain/verifier";
import { verifyChain } from "@/server/evidence/chain/verify";
import { newestReceipt } from "@/server/evidence/checkpoints/note-store";
import { signReceipt } from "@/server/evidence/checkpoints/receipts";
import { openAlarms, raiseAlarm } from "@/server/evidence/integrity/alarm";
import { raiseLostAlarms } from "@/server/evidence/integrity/alarm-watch";
import { signHead } from "@/server/evidence/integrity/checkpoints";
import { proveRow } from "@/server/evidence/integrity/judge";
import { readWindow, type SealedWindow } from "@/server/evidence/integrity/window";
import { systemCtx } from "@/server/ground/context";
import { unexplainedBeginning } from "./beginning";
import { type Expired, findExpired } from "./expired";

/** A broken chain, which contradicts itself or a signature, is not pruned. */
class NotPermitted extends Error {}

async function refuse(orgId: string, breaks: Break[], what = "the rows to be removed are not intact"): Promise<never> {
  // As of now, when the rows are read, not of when the run began: what was read in between must not end the alarm.
  await raiseAlarm({ orgId, at: new Date().toISOString(), source: "retention", breaks });
  throw new NotPermitted(`${what} (sequence ${breaks[0]?.seq}: ${breaks[0]?.kind}): nothing was removed`);
}

/**
 * What has expired of a chain by the window that its own log says.
 * @returns null without a policy or a chain
 * @throws NotPermitted after raising the alarm, where the policy of the database is another
 */
export async function expiredOf(orgId: string): Promise<{ window: SealedWindow; expired: Expired } | null> {
  const found = await asSystem((tx) => readWindow(tx, orgId));
  if (!found) return null;
  const { window, other } = found;
  if (other) await refuse(orgId, [other], "the policy is not the one that the log says");
  const expired = await asSystem((tx) => findExpired(tx, orgId, window.days));
  return expired && { window, expired };
}

/**
 * What goes may be what an alarm is about, and who raised it need not answer again: a witness can be kept away. One that was
 * deleted from outside is raised again first.
 * @throws NotPermitted while an alarm is open on the log
 */
export async function refuseAlarmed(orgId: string): Promise<void> {
  await raiseLostAlarms(orgId);
  const [alarm] = await openAlarms({ kind: "organization", orgIds: [orgId], partnerId: "" });
  if (alarm) throw new NotPermitted(`an alarm is open on this log since ${alarm.at}: nothing is removed while it is`);
}

/**
 * The rows that would go, read whole and proven like any others. Those that the tree did not hold yet are read, judged
 * and made its leaves by the signing itself; the others are read here, at a pace that leaves writers their half.
 */
async function proveRows(orgId: string, expired: Expired, { now, window }: { now: Date; window: SealedWindow }) {
  const signed = await signHead(orgId, now);
  if (!signed || signed.note.size < expired.lastSeq)
    throw new NotPermitted("no checkpoint could be signed over the rows to be removed: nothing was removed");
  // The entries that a witness disputes may be those about to go. The signing has raised the alarm.
  if (signed.disputes.length > 0) throw new NotPermitted("a witness disputes this log: nothing was removed");
  await refuseAlarmed(orgId);
  const forged = window.entry && (await proveRow(window.entry, signed.note));
  if (forged) await refuse(orgId, [forged], "the entry that set the window is not intact");
  const { firstSeq, lastSeq } = expired;
  // A receipt over these rows would explain whatever is missing before them. The signing has signed the one of a log that
  // was pruned before there were receipts.
  const unexplained = await unexplainedBeginning(orgId, firstSeq - 1);
  if (unexplained) await refuse(orgId, [unexplained]);
  const toSeq = Math.min(lastSeq, signed.readAfter);
  if (toSeq < firstSeq) return;
  const { breaks, marked } = await verifyChain(systemCtx(), {
    orgId,
    fromSeq: firstSeq,
    toSeq,
    mark: toSeq,
    division: UNDIVIDED,
  });
  if (breaks.length > 0) await refuse(orgId, breaks);
  const contradiction = marked && (await proveRow(marked, signed.note));
  if (contradiction || !marked) await refuse(orgId, contradiction ? [contradiction] : []);
}

/**
 * Proves, before the first row of a run goes, what has expired of a chain by the window that the log itself says, and signs
 * that retention may remove it. A run that stopped half-way continues under the receipt that it has.
 * @returns through which sequence rows may go, or null when nothing has expired
 * @throws NotPermitted after raising the alarm, when the rows are not intact or the policy is another than the log's own
 */
export async function permitPruning(orgId: string): Promise<number | null> {
  const now = new Date();
  const found = await expiredOf(orgId);
  if (!found || found.expired.lastSeq < found.expired.firstSeq) return null;
  const { window, expired } = found;
  const through = expired.lastSeq;
  await proveRows(orgId, expired, { now, window });
  const receipt = await asSystem((tx) => newestReceipt(tx, orgId));
  if (receipt && receipt.size >= through) return through;
  const before = expired.cutoff.toISOString();
  const { days, policySeq } = window;
  await signReceipt(orgId, { through, before, days, policySeq, signedAt: now.toISOString() });
  return through;
}
