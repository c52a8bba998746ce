import { and, desc, eq, gte, lte, or, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { auditVerifications } from "@/db/schema";
import { verifyChain } from "@/server/audit/chain/verify";
import { firstCheckpointCovering } from "@/server/audit/checkpoints/note-store";
import { getRow } from "@/server/audit/entries/get";
import type { Ctx } from "@/server/context";
import { operation } from "@/server/operation";
import { inScope, narrow } from "@/server/scope";
import { idInput } from "@/server/wire";
import { type EntryStatus, entryStatus } from "./schema";

/** The newest verification that read this part of the chain. */
async function lastReading(ctx: Ctx, orgId: string, seq: number): Promise<EntryStatus["lastVerified"]> {
  const { ranAt, status, firstSeq, lastSeq } = auditVerifications;
  const covers = and(or(lte(firstSeq, seq), sql`${firstSeq} IS NULL`), gte(lastSeq, seq));
  const [row] = await tenant(ctx.scope, (tx) =>
    tx
      .select({ ranAt, status })
      .from(auditVerifications)
      .where(and(inScope(auditVerifications.orgId, ctx.scope), eq(auditVerifications.orgId, orgId), covers))
      .orderBy(desc(ranAt))
      .limit(1),
  );
  return row ? { at: row.ranAt.toISOString(), status: row.status } : null;
}

/**
 * The integrity of an entry as of now: its contents against its checksum and its link to the entry before, freshly read;
 * the first signed checkpoint that covers it; the last verification that read it.
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
      verifyChain(own, { orgId, fromSeq: seq, toSeq: seq, signal: ctx.signal }),
      tenant(own.scope, (tx) => firstCheckpointCovering(tx, orgId, seq)),
      lastReading(own, orgId, seq),
    ]);
    return {
      status: found.status === "intact" ? "intact" : "broken",
      readAt: ctx.now().toISOString(),
      breaks: found.breaks,
      checkpoint: checkpoint && { seq: checkpoint.size, signedAt: checkpoint.signedAt },
      lastVerified,
    };
  },
});
