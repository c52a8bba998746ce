import { and, eq, gt, inArray, isNull, lt } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { users, userTokens } from "@/db/schema";
import { AppError } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { hashSecret, looksLike, newSecret } from "@/server/ground/secrets";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";

const LIFETIME_MS = {
  invite: 7 * DAY_MS,
  reset: HOUR_MS,
  second_factor: 5 * MINUTE_MS,
  passkey: 5 * MINUTE_MS,
} as const;
type TokenPurpose = keyof typeof LIFETIME_MS;

/** challenge: data that the server needs when the token returns. */
type Issue = { userId: string; purpose: TokenPurpose; now: Date; challenge?: string };
export type LinkKind = "invite" | "reset";
/** replaces: kinds of earlier links to end; checked: the person when permission was checked. */
type LinkIssue = Issue & { purpose: LinkKind; replaces: LinkKind[]; checked?: { updatedAt: Date } | undefined };
type Given = { secret: string; purpose: TokenPurpose; now: Date };
type Found = { userId: string; challenge: string | null };

/** Invalidates everything issued to a person: after a change of password or rights it would give more than intended. */
export async function dropUserTokens(tx: Tx, userId: string): Promise<void> {
  await tx.delete(userTokens).where(and(eq(userTokens.userId, userId), isNull(userTokens.usedAt)));
}

/** A new token for a person; expired ones are removed, others stay. */
export async function issueUserToken(
  tx: Tx,
  { userId, purpose, now, challenge }: Issue,
): Promise<{ id: string; secret: string; expiresAt: Date }> {
  const { secret, hash: tokenHash } = newSecret(purpose);
  const expiresAt = new Date(now.getTime() + LIFETIME_MS[purpose]);
  const id = newId();
  await tx
    .delete(userTokens)
    .where(and(eq(userTokens.userId, userId), eq(userTokens.purpose, purpose), lt(userTokens.expiresAt, now)));
  await tx.insert(userTokens).values({ id, userId, purpose, tokenHash, challenge, expiresAt, createdAt: now });
  return { id, secret, expiresAt };
}

/**
 * A new link for a person; `replaced` lists earlier ones for the caller to drop once this one is delivered. Concurrent
 * issues wait, and the later replaces the earlier.
 * @throws AppError conflict if the person's rights changed since they were checked
 */
export async function issueUserLink(tx: Tx, issue: LinkIssue) {
  const { userId, replaces, checked } = issue;
  const theirs = eq(users.id, userId);
  const [row] = await tx.select({ updatedAt: users.updatedAt }).from(users).where(theirs).for("update");
  if (checked && row?.updatedAt.getTime() !== checked.updatedAt.getTime())
    throw new AppError("conflict", "This user has just been changed. Try again.");
  const earlier = and(eq(userTokens.userId, userId), inArray(userTokens.purpose, replaces));
  const rows = await tx.select({ id: userTokens.id }).from(userTokens).where(earlier);
  return { ...(await issueUserToken(tx, issue)), replaced: rows.map(({ id }) => id) };
}

/** Invalidates these tokens. */
export async function dropTokens(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(userTokens).where(inArray(userTokens.id, ids));
}

const sameAs = ({ secret, purpose, now }: Given) =>
  and(
    eq(userTokens.tokenHash, hashSecret(secret)),
    eq(userTokens.purpose, purpose),
    isNull(userTokens.usedAt),
    gt(userTokens.expiresAt, now),
  );

/** Owner of a token, without redeeming it; null for an unknown, used or expired one. */
export async function findUserToken(given: Given): Promise<Found | null> {
  if (!looksLike(given.purpose, given.secret)) return null;
  const [row] = await asSystem((tx) => tx.select().from(userTokens).where(sameAs(given)));
  return row ?? null;
}

/** Redeems a token: only one of two concurrent uses gets the person; null for an unknown, used or expired one. */
export async function spendUserToken(tx: Tx, given: Given): Promise<Found | null> {
  if (!looksLike(given.purpose, given.secret)) return null;
  const [row] = await tx.update(userTokens).set({ usedAt: given.now }).where(sameAs(given)).returning();
  return row ?? null;
}
