import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { auditSharedProofs } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { entryResource, proofFile } from "@/server/evidence/proofs/get";
import { proveEntry } from "@/server/evidence/proofs/prove";
import { type Ctx, type Scope, ZERO_UUID } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { hashSecret } from "@/server/ground/secrets";
import { openInput } from "./schema";

const TOKEN = /^[\w-]{22}$/;

/** One answer for a link that ended, was revoked, never existed, or whose entry retention has removed. */
const gone = (): AppError =>
  new AppError("not_found", "This link has ended, was revoked or never existed. Ask the person who gave it to you.");

/** Counts an opening of a link that can be opened. */
async function countOpening(token: string, now: Date) {
  const t = auditSharedProofs;
  const [row] = await asSystem((tx) =>
    tx
      .update(t)
      .set({ openings: sql`${t.openings} + 1`, lastOpenedAt: now })
      .where(and(eq(t.tokenHash, hashSecret(token)), isNull(t.revokedAt), gt(t.expiresAt, now)))
      .returning(),
  );
  return row;
}

/** The reader of a link is unknown: a person without a name. */
const stranger = (ctx: Ctx, scope: Scope): Ctx => ({
  ...ctx,
  scope,
  actor: { type: "user", id: ZERO_UUID, email: "", name: "", role: "org_viewer" },
});

/**
 * Opens a short link: the proof as a file, made again. Open to anyone who has the link; each opening is recorded.
 * @throws AppError rate_limited, not_found; conflict and unavailable as the proof itself
 */
export const openProofLink = operation({
  input: openInput,
  output: "stream",
  async run(ctx, { token }) {
    await limit("proof-link", ctx.ip);
    const row = TOKEN.test(token) ? await countOpening(token, ctx.now()) : undefined;
    if (!row) throw gone();
    const { orgId, entryId, chainSeq, id } = row;
    const scope: Scope = { kind: "organization", orgIds: [orgId], partnerId: "" };
    const event = {
      action: "audit_logs.proof.open" as const,
      orgId,
      ...entryResource({ id: entryId, seq: chainSeq }),
      details: { linkId: id },
    };
    try {
      const { seq, text } = await proveEntry(scope, { orgId, id: entryId });
      record(stranger(ctx, scope), event);
      return proofFile({ fileName: `entry-${seq}.tlog-proof`, text });
    } catch (error) {
      const errorMessage = error instanceof AppError ? error.message : "The proof could not be made.";
      record(stranger(ctx, scope), { ...event, result: "failure", errorMessage });
      throw error instanceof AppError && error.code === "not_found" ? gone() : error;
    }
  },
});
