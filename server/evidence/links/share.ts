import { randomBytes } from "node:crypto";
import { and, count, eq, gt, isNull } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { auditSharedProofs } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { entryResource, proveReached } from "@/server/evidence/proofs/get";
import { type Ctx, ZERO_UUID } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { countInTurn } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { hashSecret } from "@/server/ground/secrets";
import { DAY_MS } from "@/server/ground/time/durations";
import { toProofLink } from "./proof-link";
import { createdLink, MAX_LINKS_PER_ENTRY, shareInput } from "./schema";

/** 128 random bits, 22 characters: short enough for a printed code, too many to guess. */
const TOKEN_BYTES = 16;

const creatorOf = ({ actor }: Ctx): { createdBy: string; createdByName: string } => ({
  createdBy: "id" in actor ? actor.id : ZERO_UUID,
  createdByName: "name" in actor ? actor.name : actor.type,
});

async function refuseTooMany(tx: Tx, entryId: string, now: Date): Promise<void> {
  const t = auditSharedProofs;
  await countInTurn(tx, `proof links of ${entryId}`);
  const open = and(eq(t.entryId, entryId), isNull(t.revokedAt), gt(t.expiresAt, now));
  const [row] = await tx.select({ total: count() }).from(t).where(open);
  if ((row?.total ?? 0) >= MAX_LINKS_PER_ENTRY)
    throw new AppError("conflict", `This entry has ${MAX_LINKS_PER_ENTRY} open links already; revoke one first.`);
}

/**
 * Creates a short link to the proof of an entry, which anyone who has it may open until it ends or is revoked; recorded.
 * @throws AppError not_found; conflict when the entry cannot be proven or has too many links; unavailable
 */
export const shareProof = operation({
  permission: "audit:export",
  input: shareInput,
  output: createdLink,
  async run(ctx, { id, days }) {
    const { own, proven } = await proveReached(ctx, id);
    const now = ctx.now();
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const values = {
      id: newId(),
      orgId: proven.orgId,
      entryId: id,
      chainSeq: proven.seq,
      tokenHash: hashSecret(token),
      ...creatorOf(ctx),
      createdAt: now,
      expiresAt: new Date(now.getTime() + days * DAY_MS),
    };
    const [row] = await tenant(own.scope, async (tx) => {
      await refuseTooMany(tx, id, now);
      return tx.insert(auditSharedProofs).values(values).returning();
    });
    if (!row) throw new AppError("internal");
    const details = { linkId: row.id, expiresAt: row.expiresAt.toISOString() };
    record(own, { action: "audit_logs.proof.share", orgId: row.orgId, ...entryResource(proven), details });
    return { ...toProofLink(row), path: `/p/${token}` };
  },
});
