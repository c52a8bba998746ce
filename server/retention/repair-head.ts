import { sql } from "drizzle-orm";
import { openAdmin } from "@/db/admin";
import { asSystem } from "@/db/client";
import { flushRecording, record } from "@/server/audit/record/record";
import { type Anchor, type Break, breakOf } from "@/server/evidence/chain/verifier";
import { verifyChain } from "@/server/evidence/chain/verify";
import { readLatest } from "@/server/evidence/checkpoints/folder";
import { newestCheckpoint } from "@/server/evidence/checkpoints/note-store";
import type { StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { clearAlarm } from "@/server/evidence/integrity/alarm";
import { listLostHeads } from "@/server/evidence/integrity/heads";
import { endsAlarm, type Judged, judgeChain, proveRow } from "@/server/evidence/integrity/judge";
import { keepVerification } from "@/server/evidence/integrity/verifications";
import { systemCtx } from "@/server/ground/context";
import { unexplainedBeginning } from "./beginning";

/** Result of a repair: nothing was wrong, the rows are not intact, or the head is right again. */
export type Repair =
  | { kind: "right" }
  | { kind: "refused"; breaks: Break[] }
  | { kind: "repaired"; before: number | null; head: Anchor; rows: number; after: Judged };

/** The larger of our notes in data folder and database. */
async function ownCheckpoint(orgId: string): Promise<StoredNote | null> {
  const [kept, stored] = [await readLatest(orgId), await asSystem((tx) => newestCheckpoint(tx, orgId))];
  return kept && (!stored || kept.size >= stored.size) ? kept : stored;
}

const cut = (seq: number, expected: string): Break =>
  breakOf({ seq: seq + 1, kind: "truncated", expected, actual: `the last entry is sequence ${seq}` });

type Rows = { head: Anchor; rows: number; pruned: { seq: number; checksum: string | null } };

/** Reads a chain without its head and compares it with what our key signed. @returns the proven rows, or the faults */
async function proveRows(orgId: string, before: number | null): Promise<Rows | Break[]> {
  const note = await ownCheckpoint(orgId);
  const found = await verifyChain(systemCtx(), { orgId, isHeadLost: true, mark: note?.size });
  const { head, marked, prunedPrefix, breaks } = found;
  if (breaks.length > 0) return breaks;
  const last = head?.seq ?? 0;
  if (before !== null && before > last) return [cut(last, `rows up to sequence ${before}, which the head names`)];
  if (note && note.size > last)
    return [cut(last, `rows up to sequence ${note.size}, which a signed checkpoint covers`)];
  if (!head) return [cut(0, "a chain with rows")];
  const throughSeq = prunedPrefix?.throughSeq ?? 0;
  const unexplained = await unexplainedBeginning(orgId, throughSeq);
  if (unexplained) return [unexplained];
  const contradiction = note && note.size > 0 && marked ? await proveRow(marked, note) : null;
  if (contradiction) return [contradiction];
  return {
    head,
    rows: found.rowsChecked,
    pruned: { seq: throughSeq, checksum: prunedPrefix?.throughChecksum ?? null },
  };
}

/**
 * Rebuilds the head of a chain from its rows, after reading all of them: they must be intact, cover all of our
 * checkpoints and start where our receipt says. Recorded in the chain and signed. The alarm ends if the whole chain is
 * then clean.
 * @throws Error when AUDIT_ADMIN_DATABASE_URL is not set; PostgresError when the chain grew meanwhile
 */
export async function repairHead(orgId: string): Promise<Repair> {
  const [lost] = await listLostHeads(orgId);
  if (!lost) return { kind: "right" };
  const proven = await proveRows(orgId, lost.head);
  if (Array.isArray(proven)) return { kind: "refused", breaks: proven };
  const { head, rows, pruned } = proven;
  const admin = openAdmin();
  try {
    await admin.transaction((tx) =>
      tx.execute(sql`SELECT audit_repair_head(${orgId}::uuid, ${head.seq}::bigint, ${head.checksum}::text,
        ${pruned.seq}::bigint, ${pruned.checksum}::text)`),
    );
  } finally {
    await admin.end();
  }
  record(systemCtx(), {
    action: "audit.chain.head.repair",
    orgId,
    resourceType: "audit_log",
    resourceName: "Chain head",
    details: { before: { seq: lost.head }, after: { seq: head.seq, checksum: head.checksum }, rowsChecked: rows },
  });
  await flushRecording();
  const after = await judgeChain(orgId);
  const isKept = await keepVerification(after, "whole");
  if (isKept && endsAlarm(after)) await clearAlarm(orgId, after.began);
  return { kind: "repaired", before: lost.head, head, rows, after };
}
