import { and, eq, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { auditSharedProofs } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { entryResource } from "@/server/evidence/proofs/get";
import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { inScope, narrow } from "@/server/ground/scope";
import { idInput } from "@/server/ground/wire";

/**
 * Ends a link at once; one that was revoked before stays as it is. What its readers have saved stays theirs. Recorded.
 * @throws AppError not_found when it is missing or belongs to another organization
 */
export const revokeProofLink = operation({
  permission: "audit:export",
  input: idInput,
  output: "empty",
  async run(ctx, { id }) {
    const t = auditSharedProofs;
    const [row] = await tenant(ctx.scope, (tx) =>
      tx
        .update(t)
        .set({ revokedAt: sql`coalesce(${t.revokedAt}, ${ctx.now().toISOString()}::timestamptz)` })
        .where(and(inScope(t.orgId, ctx.scope), eq(t.id, id)))
        .returning(),
    );
    if (!row) throw notFound("proof link");
    record(narrow(ctx, row.orgId), {
      action: "audit_logs.proof.revoke",
      orgId: row.orgId,
      ...entryResource({ id: row.entryId, seq: row.chainSeq }),
      details: { linkId: row.id },
    });
  },
});
