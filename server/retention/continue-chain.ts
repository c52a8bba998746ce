import { sql } from "drizzle-orm";
import { type Admin, openAdmin } from "@/db/admin";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { flushRecording, record } from "@/server/audit/record/record";
import type { Anchor, Break } from "@/server/evidence/chain/verifier";
import { findGap, verifyChain } from "@/server/evidence/chain/verify";
import { listRestorations, newestReceipt } from "@/server/evidence/checkpoints/note-store";
import { findSignedBeyond, type SignedBeyond, signRestoration } from "@/server/evidence/checkpoints/restore-log";
import { clearAlarm } from "@/server/evidence/integrity/alarm";
import { endsAlarm, type Judged, judgeChain, proveRow } from "@/server/evidence/integrity/judge";
import { keepVerification } from "@/server/evidence/integrity/verifications";
import type { Restoration } from "@/server/evidence/tree/statement";
import { systemCtx } from "@/server/ground/context";
import { unexplainedBeginning } from "./beginning";

/**
 * Result: the log matches what was signed; it does, and entries of restorations signed by interrupted runs were added;
 * its entries are not intact; or it continues.
 */
export type Continued =
  | { kind: "right" }
  | { kind: "finished"; recorded: number; after: Judged }
  | { kind: "refused"; breaks: Break[] }
  | ({ kind: "continued"; lastSeq: number; after: Judged } & Omit<Restored, "orgId">);

type Rows = { head: Anchor | null; pruned: { seq: number; checksum: string | null } };

/**
 * Reads the existing entries: contents and links must be intact, the last proven one must match what was signed, and
 * the first must be at the chain's start or where our receipt says.
 */
async function readRows(orgId: string, { proven }: SignedBeyond): Promise<Rows | Break[]> {
  const found = await verifyChain(systemCtx(), { orgId, isHeadLost: true, mark: proven?.size });
  if (found.breaks.length > 0) return found.breaks;
  const contradiction = proven && found.marked ? await proveRow(found.marked, proven) : null;
  if (contradiction) return [contradiction];
  const { prunedPrefix: prefix, head } = found;
  const unexplained = await unexplainedBeginning(orgId, prefix?.throughSeq ?? 0);
  if (unexplained) return [unexplained];
  return {
    head: head && head.seq > 0 ? head : null,
    pruned: { seq: prefix?.throughSeq ?? 0, checksum: prefix?.throughChecksum ?? null },
  };
}

/** The signed and recorded statement: number of proven entries, and the checkpoint beyond. */
type Restored = { orgId: string; proven: number; lost: { size: number; signedAt: string } };

/** Removes the database's data on lost entries, and sets the head to the last existing one. */
const clearWay = (admin: Admin, { orgId, proven }: Restored, { head, pruned }: Rows): Promise<void> =>
  admin.transaction(async (tx) => {
    await tx.execute(sql`SELECT audit_continue_chain(${orgId}::uuid, ${proven}::bigint)`);
    if (head)
      await tx.execute(sql`SELECT audit_repair_head(${orgId}::uuid, ${head.seq}::bigint, ${head.checksum}::text,
        ${pruned.seq}::bigint, ${pruned.checksum}::text)`);
  });

/** Details that identify a restoration's entry, in all versions. */
type Details = { provenThrough: number; checkpoint: { size: number; signedAt?: string } };

/** Records a restoration in the chain unless its entry exists. @returns whether it was missing */
async function recordRestored(orgId: string, details: Details, more: object): Promise<boolean> {
  const isRecorded = await asSystem((tx) =>
    rowsOf(
      tx,
      sql`SELECT 1 FROM audit_logs WHERE org_id = ${orgId} AND action = 'audit.restored'
        AND chain_seq > ${details.provenThrough} AND details @> ${JSON.stringify(details)}::jsonb LIMIT 1`,
    ),
  );
  if (isRecorded.length > 0) return false;
  record(systemCtx(), {
    action: "audit.restored",
    orgId,
    resourceType: "audit_log",
    resourceName: "Audit chain",
    details: { ...more, ...details },
  });
  await flushRecording();
  return true;
}

/** Reads the whole chain and stores the verdict; ends the alarm if no fault remains. */
async function settle(orgId: string): Promise<Judged> {
  const after = await judgeChain(orgId);
  const progress = { verifiedThrough: after.lastSeq ?? 0, slice: null };
  const isKept = await keepVerification(after, "nightly", after.status === "broken" ? undefined : progress);
  if (isKept && endsAlarm(after)) await clearAlarm(orgId, after.began);
  return after;
}

/** Records restorations that interrupted runs only signed, except where retention may have removed the entry since. */
async function finish(orgId: string): Promise<Continued> {
  const [restorations, receipt] = await asSystem(async (tx) => [
    await listRestorations(tx, orgId),
    await newestReceipt(tx, orgId),
  ]);
  // Several may be signed for one loss, with a single entry.
  const open = new Map<string, Restoration>();
  for (const one of restorations) {
    const mayBePruned = receipt !== null && receipt.size > one.proven && receipt.signedAt > one.at;
    if (!mayBePruned) open.set(`${one.proven} ${one.lost}`, one);
  }
  let recorded = 0;
  for (const { proven, lost, at } of open.values()) {
    const details = { provenThrough: proven, checkpoint: { size: lost } };
    if (await recordRestored(orgId, details, { restoredAt: at })) recorded++;
  }
  return recorded > 0 ? { kind: "finished", recorded, after: await settle(orgId) } : { kind: "right" };
}

async function continueBy(admin: Admin, orgId: string, signed: SignedBeyond): Promise<Continued> {
  const rows = await readRows(orgId, signed);
  if (Array.isArray(rows)) return { kind: "refused", breaks: rows };
  const { size, signedAt } = signed.beyond;
  const restored = { orgId, proven: signed.proven?.size ?? 0, lost: { size, signedAt } };
  // Already signed by an interrupted run.
  if (!signed.isStated) await signRestoration(signed, new Date().toISOString());
  await clearWay(admin, restored, rows);
  const { proven, lost } = restored;
  const head = { lastSeq: rows.head?.seq ?? 0, lastChecksum: rows.head?.checksum ?? null };
  await recordRestored(orgId, { provenThrough: proven, checkpoint: lost }, head);
  const after = await settle(orgId);
  return { kind: "continued", lastSeq: head.lastSeq, proven, lost, after };
}

/**
 * Continues a chain that was restored to an older state than our checkpoint signed, or lost everything. The existing
 * entries must be intact. The restoration is signed and appears in every later checkpoint and in the chain, so that no
 * verdict over the lost entries is ever "intact". For a correct log, finishes an earlier run's work.
 * @throws Error when AUDIT_ADMIN_DATABASE_URL is not set; PostgresError when it cannot be used, or when the head is not
 * the newest entry and another came meanwhile
 */
export async function continueChain(orgId: string): Promise<Continued> {
  const signed = await findSignedBeyond(orgId);
  if (!signed) {
    // The tree still has hashes of the lost entries.
    const gap = await findGap(orgId);
    return gap ? { kind: "refused", breaks: [gap] } : finish(orgId);
  }
  const admin = openAdmin();
  try {
    // Tested first, because signing cannot be undone.
    await admin.transaction((tx) => tx.execute(sql`SELECT 1`));
    return await continueBy(admin, orgId, signed);
  } finally {
    await admin.end();
  }
}
