import { sql } from "drizzle-orm";
import { openAdmin } from "@/db/admin";
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
  | { kind: "continued"; lastSeq: number; proven: number; lost: { size: number; signedAt: string }; after: Judged };

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

/** Takes what the database keeps of the lost entries, and sets the head to the last one that is there. */
async function clearWay(orgId: string, { head, pruned }: Rows, proven: number): Promise<void> {
  const admin = openAdmin();
  try {
    await admin.transaction(async (tx) => {
      await tx.execute(sql`SELECT audit_continue_chain(${orgId}::uuid, ${proven}::bigint)`);
      if (head)
        await tx.execute(sql`SELECT audit_repair_head(${orgId}::uuid, ${head.seq}::bigint, ${head.checksum}::text,
          ${pruned.seq}::bigint, ${pruned.checksum}::text)`);
    });
  } finally {
    await admin.end();
  }
}

/**
 * Lets a chain continue that was restored to an older state than our checkpoint signed, or lost everything. The
 * entries that are there must be intact. That it happened is signed, is in every later checkpoint and in the chain
 * itself, and keeps every verdict over the lost entries from ever being "intact".
 * @throws Error when AUDIT_ADMIN_DATABASE_URL is not set; PostgresError when the chain grew meanwhile
 */
export async function continueChain(orgId: string): Promise<Continued> {
  const signed = await findSignedBeyond(orgId);
  if (!signed) {
    // The tree still has the hashes of entries that are gone.
    const gap = await findGap(orgId);
    return gap ? { kind: "refused", breaks: [gap] } : { kind: "right" };
  }
  const rows = await readRows(orgId, signed);
  if (Array.isArray(rows)) return { kind: "refused", breaks: rows };
  const [lastSeq, proven] = [rows.head?.seq ?? 0, signed.proven?.size ?? 0];
  const { size, signedAt } = signed.beyond;
  await signRestoration(signed, new Date().toISOString());
  await clearWay(orgId, rows, proven);
  record(systemCtx(), {
    action: "audit.restored",
    orgId,
    resourceType: "audit_log",
    resourceName: "Audit chain",
    details: {
      lastSeq,
      lastChecksum: rows.head?.checksum ?? null,
      provenThrough: proven,
      checkpoint: { size, signedAt },
    },
  });
  await flushRecording();
  const after = await judgeChain(orgId);
  const progress = { verifiedThrough: after.lastSeq ?? 0, slice: null };
  await keepVerification(after, "nightly", after.status === "broken" ? undefined : progress);
  if (endsAlarm(after)) await clearAlarm(orgId, after.began);
  return { kind: "continued", lastSeq, proven, lost: { size, signedAt }, after };
}
