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

/** Refuses to prune a chain that contradicts itself or a signature. */
class NotPermitted extends Error {}

async function refuse(orgId: string, breaks: Break[], what = "the rows to be removed are not intact"): Promise<never> {
  // Dated at the reading, not at the start of the run, so that an earlier reading cannot end the alarm.
  await raiseAlarm({ orgId, at: new Date().toISOString(), source: "retention", breaks });
  throw new NotPermitted(`${what} (sequence ${breaks[0]?.seq}: ${breaks[0]?.kind}): nothing was removed`);
}

/**
 * Expired rows of a chain by the window in its own log.
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
 * Refuses pruning during an alarm: the rows may be evidence, and the source of the alarm may be unable to raise it
 * again. An alarm deleted from outside is raised again first.
 * @throws NotPermitted while an alarm is open on the log
 */
export async function refuseAlarmed(orgId: string): Promise<void> {
  await raiseLostAlarms(orgId);
  const [alarm] = await openAlarms({ kind: "organization", orgIds: [orgId], partnerId: "" });
  if (alarm) throw new NotPermitted(`an alarm is open on this log since ${alarm.at}: nothing is removed while it is`);
}

/**
 * Reads and proves the rows to be removed. The signing reads, judges and adds those not in the tree yet; the others are
 * read here, at a pace that leaves writers half of the capacity.
 */
async function proveRows(orgId: string, expired: Expired, { now, window }: { now: Date; window: SealedWindow }) {
  const signed = await signHead(orgId, now);
  if (!signed || signed.note.size < expired.lastSeq)
    throw new NotPermitted("no checkpoint could be signed over the rows to be removed: nothing was removed");
  // Entries disputed by a witness may be among those to remove. The signing has raised the alarm.
  if (signed.disputes.length > 0) throw new NotPermitted("a witness disputes this log: nothing was removed");
  await refuseAlarmed(orgId);
  const forged = window.entry && (await proveRow(window.entry, signed.note));
  if (forged) await refuse(orgId, [forged], "the entry that set the window is not intact");
  const { firstSeq, lastSeq } = expired;
  // A receipt over these rows would explain any missing rows before them. The signing creates one for logs pruned
  // before receipts existed.
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
 * Before a run removes anything, proves the expired rows of a chain by the window in its own log, and signs that
 * retention may remove them. An interrupted run continues under its receipt.
 * @returns last sequence that may be removed, or null when nothing has expired
 * @throws NotPermitted after raising the alarm, when the rows are not intact or the policy is another than the log's
 * own
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
