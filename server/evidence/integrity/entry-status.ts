import { and, desc, eq, gte, lte, or, sql } from "drizzle-orm";
import { asSystem, tenant } from "@/db/client";
import { auditVerifications } from "@/db/schema";
import { getRow } from "@/server/audit/entries/get";
import { type Integrity, verifyChain } from "@/server/evidence/chain/verify";
import { isTreeAsSigned } from "@/server/evidence/checkpoints/nodes";
import { firstCheckpointCovering } from "@/server/evidence/checkpoints/note-store";
import { checkpointOf, type StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { restoredReasons } from "@/server/evidence/tree/statement";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { inScope, narrow } from "@/server/ground/scope";
import { idInput } from "@/server/ground/wire";
import { isInTime } from "./coverage";
import { proveRow } from "./judge";
import { type EntryStatus, entryStatus } from "./schema";

/** Newest verification that read this part of the chain. */
async function lastReading(ctx: Ctx, orgId: string, seq: number): Promise<EntryStatus["lastVerified"]> {
  const { ranAt, status, firstSeq, lastSeq } = auditVerifications;
  const covers = and(or(lte(firstSeq, seq), sql`${firstSeq} IS NULL`), gte(lastSeq, seq));
  const [row] = await tenant(ctx.scope, (tx) =>
    tx
      .select({ ranAt, status })
      .from(auditVerifications)
      .where(
        and(inScope(auditVerifications.orgId, ctx.scope), eq(auditVerifications.orgId, orgId), covers, isInTime(ranAt)),
      )
      .orderBy(desc(ranAt))
      .limit(1),
  );
  return row ? { at: row.ranAt.toISOString(), status: row.status } : null;
}

const OTHER_TREE =
  "The entries under the checkpoint over it no longer give the root that was signed: this one or another was changed. Verify the whole chain.";

type Held = Pick<EntryStatus, "status" | "breaks" | "reasons">;

/** Compares an entry's contents and link with the signed tree. */
async function hold({ status, breaks, marked }: Integrity, checkpoint: StoredNote | null): Promise<Held> {
  if (status === "broken" || !marked) return { status: "broken", breaks, reasons: [] };
  if (!checkpoint) return { status: "unproven", breaks, reasons: ["No checkpoint covers it yet."] };
  const contradiction = await proveRow(marked, checkpoint);
  // If the tree itself differs, one entry cannot show which is at fault.
  if (contradiction && !(await asSystem((tx) => isTreeAsSigned(tx, checkpoint))))
    return { status: "unproven", breaks, reasons: [OTHER_TREE] };
  if (contradiction) return { status: "broken", breaks: [contradiction], reasons: [] };
  const { seq } = marked;
  const reasons = restoredReasons(checkpointOf(checkpoint).restored ?? [], { first: seq, last: seq });
  return { status: reasons.length > 0 ? "unproven" : "intact", breaks, reasons };
}

/**
 * Current integrity of an entry: its contents, seal and link, freshly read; its position in the tree under the first signed
 * checkpoint that covers it; the last verification that read it.
 * @throws AppError not_found when the entry is missing or belongs to another organization.
 */
export const getEntryStatus = operation({
  permission: "audit:read",
  input: idInput,
  output: entryStatus,
  async run(ctx, { id }) {
    const row = await getRow(ctx, id);
    const [orgId, seq] = [row.org_id, Number(row.chain_seq)];
    const own = narrow(ctx, orgId);
    const [found, checkpoint, lastVerified] = await Promise.all([
      verifyChain(own, { orgId, fromSeq: seq, toSeq: seq, mark: seq, signal: ctx.signal }),
      tenant(own.scope, (tx) => firstCheckpointCovering(tx, orgId, seq)),
      lastReading(own, orgId, seq),
    ]);
    return {
      ...(await hold(found, checkpoint)),
      readAt: ctx.now().toISOString(),
      checkpoint: checkpoint && { seq: checkpoint.size, signedAt: checkpoint.signedAt },
      lastVerified,
      checksum: row.checksum,
      prevChecksum: row.prev_checksum,
    };
  },
});
