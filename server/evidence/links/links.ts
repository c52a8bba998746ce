import { randomBytes } from "node:crypto";
import { and, count, desc, eq, gt, isNull, sql } from "drizzle-orm";
import { asSystem, type Tx, tenant } from "@/db/client";
import { auditSharedProofs, organizations } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { entryResource, proofFile, proveEntry, proveReached } from "@/server/evidence/proofs/prove";
import { type Ctx, type Scope, ZERO_UUID } from "@/server/ground/context";
import { AppError, notFound } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { countInTurn } from "@/server/ground/limits/quota";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { inScope, narrow } from "@/server/ground/scope";
import { hashSecret } from "@/server/ground/secrets";
import { DAY_MS } from "@/server/ground/time/durations";
import { idInput } from "@/server/ground/wire";
import {
  createdLink,
  listInput,
  MAX_LINKS_PER_ENTRY,
  MAX_LISTED_LINKS,
  MAX_UNPROVEN_DAYS,
  openInput,
  type ProofLink,
  proofLinkList,
  shareInput,
} from "./schema";
import { ORGANIZATION_HEADER } from "./vocabulary";

type ProofLinkRow = typeof auditSharedProofs.$inferSelect;

/** A link without its secret, which is not stored. */
const toProofLink = (row: ProofLinkRow): ProofLink => ({
  id: row.id,
  entryId: row.entryId,
  chainSeq: row.chainSeq,
  createdByName: row.createdByName,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  revokedAt: row.revokedAt?.toISOString() ?? null,
  openings: row.openings,
  lastOpenedAt: row.lastOpenedAt?.toISOString() ?? null,
});

/** 128 random bits as 22 characters: short enough for a printed code, too many to guess. */
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
 * Creates a short link to an entry's proof, open to anyone who has it until it expires or is revoked; recorded.
 * @throws AppError not_found; conflict when the entry cannot be proven or has too many links; unavailable
 */
export const shareProof = operation({
  permission: "audit:export",
  input: shareInput,
  output: createdLink,
  stepUp: ({ days }) => days > MAX_UNPROVEN_DAYS,
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

const TOKEN = /^[\w-]{22}$/;

/** One answer for links that expired, were revoked, never existed, or whose entry was pruned. */
const gone = (): AppError =>
  new AppError("not_found", "This link has ended, was revoked or never existed. Ask the person who gave it to you.");

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

async function nameOf(orgId: string): Promise<string> {
  const { id, name } = organizations;
  const [row] = await asSystem((tx) => tx.select({ name }).from(organizations).where(eq(id, orgId)));
  return row?.name ?? "";
}

/** Context of an unknown reader: a person without a name. */
const stranger = (ctx: Ctx, scope: Scope): Ctx => ({
  ...ctx,
  scope,
  actor: { type: "user", id: ZERO_UUID, email: "", name: "", role: "org_viewer" },
});

/**
 * Opens a short link: creates the proof file again. Open to anyone who has the link; each opening is recorded.
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
      const file = proofFile({ fileName: `entry-${seq}.tlog-proof`, text });
      file.headers.set(ORGANIZATION_HEADER, encodeURIComponent(await nameOf(orgId)));
      return file;
    } catch (error) {
      const errorMessage = error instanceof AppError ? error.message : "The proof could not be made.";
      record(stranger(ctx, scope), { ...event, result: "failure", errorMessage });
      throw error instanceof AppError && error.code === "not_found" ? gone() : error;
    }
  },
});

/** Links to an entry's proof in the caller's reach, newest first, including expired and revoked ones. */
export const listProofLinks = operation({
  permission: "audit:export",
  input: listInput,
  output: proofLinkList,
  async run({ scope }, { id }) {
    const t = auditSharedProofs;
    const rows = await tenant(scope, (tx) =>
      tx
        .select()
        .from(t)
        .where(and(inScope(t.orgId, scope), eq(t.entryId, id)))
        .orderBy(desc(t.createdAt), desc(t.id))
        .limit(MAX_LISTED_LINKS),
    );
    return { data: rows.map(toProofLink) };
  },
});

/**
 * Revokes a link at once; a revoked one stays as is. Saved copies remain with their readers. Recorded.
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
