import { sql } from "drizzle-orm";
import { type Admin, openAdmin } from "@/db/admin";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { Anchor, Break } from "@/server/audit/chain/verifier";
import { findGap, verifyChain } from "@/server/audit/chain/verify";
import { findSignedBeyond, type SignedBeyond, signRestoration } from "@/server/audit/checkpoints/restore-log";
import { clearAlarm } from "@/server/audit/integrity/alarm";
import { endsAlarm, type Judged, judgeChain } from "@/server/audit/integrity/judge";
import { proveRow } from "@/server/audit/integrity/own-note";
import { keepVerification } from "@/server/audit/integrity/verifications";
import { flushRecording, record } from "@/server/audit/record/record";
import { systemCtx } from "@/server/context";
import { unexplainedBeginning } from "./beginning";

/** What became of it: the log is what was signed, its entries are not to be trusted, or it continues. */
export type Continued =
  | { kind: "right" }
  | { kind: "refused"; breaks: Break[] }
  | ({ kind: "continued"; lastSeq: number; after: Judged } & Omit<Restored, "orgId">);

type Rows = { head: Anchor | null; pruned: { seq: number; checksum: string | null } };

/**
 * The entries that are there: their contents and links must hold, the last proven one be what was signed, and the first one
 * stand where the chain begins or our receipt says.
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

/** What is signed and recorded of it: how many entries are proven, and the checkpoint beyond. */
type Restored = { orgId: string; proven: number; lost: { size: number; signedAt: string } };

/** Takes what the database keeps of the lost entries, and sets the head to the last one that is there. */
const clearWay = (admin: Admin, { orgId, proven }: Restored, { head, pruned }: Rows): Promise<void> =>
  admin.transaction(async (tx) => {
    await tx.execute(sql`SELECT audit_continue_chain(${orgId}::uuid, ${proven}::bigint)`);
    if (head)
      await tx.execute(sql`SELECT audit_repair_head(${orgId}::uuid, ${head.seq}::bigint, ${head.checksum}::text,
        ${pruned.seq}::bigint, ${pruned.checksum}::text)`);
  });

/** Records the restoration in the chain itself, unless an earlier run did so that was cut short. */
async function recordRestored({ orgId, proven, lost }: Restored, { head }: Rows): Promise<void> {
  const details = { provenThrough: proven, checkpoint: lost };
  const isRecorded = await asSystem((tx) =>
    rowsOf(
      tx,
      sql`SELECT 1 FROM audit_logs WHERE org_id = ${orgId} AND action = 'audit.restored' AND chain_seq > ${proven}
        AND details @> ${JSON.stringify(details)}::jsonb LIMIT 1`,
    ),
  );
  if (isRecorded.length > 0) return;
  record(systemCtx(), {
    action: "audit.restored",
    orgId,
    resourceType: "audit_log",
    resourceName: "Audit chain",
    details: { lastSeq: head?.seq ?? 0, lastChecksum: head?.checksum ?? null, ...details },
  });
  await flushRecording();
}

async function continueBy(admin: Admin, orgId: string, signed: SignedBeyond): Promise<Continued> {
  const rows = await readRows(orgId, signed);
  if (Array.isArray(rows)) return { kind: "refused", breaks: rows };
  const { size, signedAt } = signed.beyond;
  const restored = { orgId, proven: signed.proven?.size ?? 0, lost: { size, signedAt } };
  // A run that was cut short has signed it.
  if (!signed.isStated) await signRestoration(signed, new Date().toISOString());
  await clearWay(admin, restored, rows);
  await recordRestored(restored, rows);
  const after = await judgeChain(orgId);
  const progress = { verifiedThrough: after.lastSeq ?? 0, slice: null };
  await keepVerification(after, "nightly", after.status === "broken" ? undefined : progress);
  if (endsAlarm(after)) await clearAlarm(orgId, after.began);
  return { kind: "continued", lastSeq: rows.head?.seq ?? 0, proven: restored.proven, lost: restored.lost, after };
}

/**
 * Lets a chain continue that was restored to an older state than our checkpoint signed, or lost everything. The
 * entries that are there must be intact. That it happened is signed, is in every later checkpoint and in the chain
 * itself, and keeps every verdict over the lost entries from ever being "intact".
 * @throws Error when AUDIT_ADMIN_DATABASE_URL is not set; PostgresError when it cannot be used, or when the head is not the
 *   newest entry and another came meanwhile
 */
export async function continueChain(orgId: string): Promise<Continued> {
  const signed = await findSignedBeyond(orgId);
  if (!signed) {
    // The tree still has the hashes of entries that are gone.
    const gap = await findGap(orgId);
    return gap ? { kind: "refused", breaks: [gap] } : { kind: "right" };
  }
  const admin = openAdmin();
  try {
    // First of all: what is signed cannot be taken back.
    await admin.transaction((tx) => tx.execute(sql`SELECT 1`));
    return await continueBy(admin, orgId, signed);
  } finally {
    await admin.end();
  }
}
