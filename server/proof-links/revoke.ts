import { and, eq, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { auditSharedProofs } from "@/db/schema";
import { entryResource } from "@/server/audit/proofs/get";
import { record } from "@/server/audit/record/record";
import { notFound } from "@/server/errors";
import { operation } from "@/server/operation";
import { inScope, narrow } from "@/server/scope";
import { idInput } from "@/server/wire";

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
