import { and, eq, gt, isNull, lt } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { users, userTokens } from "@/db/schema";
import { hashSecret, looksLike, newSecret } from "@/server/auth/secrets";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/time/durations";

/** How long what is handed out for a purpose is good. */
const LIFETIME_MS = {
  invite: 7 * DAY_MS,
  reset: HOUR_MS,
  second_factor: 5 * MINUTE_MS,
  passkey: 5 * MINUTE_MS,
} as const;
type TokenPurpose = keyof typeof LIFETIME_MS;

/** challenge: what the server must know again when the token comes back. */
type Issue = { userId: string; purpose: TokenPurpose; now: Date; challenge?: string };
type Given = { secret: string; purpose: TokenPurpose; now: Date };
type Found = { userId: string; challenge: string | null };

/** Sign-ins may be beside each other; of links there is one. */
const SOLE: readonly TokenPurpose[] = ["invite", "reset"];

/**
 * Makes what was handed out for a person worthless: with another password, or other rights, than they had when it was, it
 * would give more than its holder was meant to have.
 */
export async function dropUserTokens(tx: Tx, userId: string): Promise<void> {
  await tx.delete(userTokens).where(and(eq(userTokens.userId, userId), isNull(userTokens.usedAt)));
}

/** A fresh token for a person; an earlier link for the same purpose is worthless from now on. */
export async function issueUserToken(
  tx: Tx,
  { userId, purpose, now, challenge }: Issue,
): Promise<{ secret: string; expiresAt: Date }> {
  const { secret, hash: tokenHash } = newSecret(purpose);
  const expiresAt = new Date(now.getTime() + LIFETIME_MS[purpose]);
  const isSole = SOLE.includes(purpose);
  const old = isSole ? undefined : lt(userTokens.expiresAt, now);
  // Of two that are issued at the same moment the second waits, and replaces the first.
  if (isSole) await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update");
  await tx.delete(userTokens).where(and(eq(userTokens.userId, userId), eq(userTokens.purpose, purpose), old));
  await tx.insert(userTokens).values({ userId, purpose, tokenHash, challenge, expiresAt, createdAt: now });
  return { secret, expiresAt };
}

const sameAs = ({ secret, purpose, now }: Given) =>
  and(
    eq(userTokens.tokenHash, hashSecret(secret)),
    eq(userTokens.purpose, purpose),
    isNull(userTokens.usedAt),
    gt(userTokens.expiresAt, now),
  );

/** Whose token it is, without spending it; null for an unknown, spent or expired one. */
export async function findUserToken(tx: Tx, given: Given): Promise<Found | null> {
  if (!looksLike(given.purpose, given.secret)) return null;
  const [row] = await tx.select().from(userTokens).where(sameAs(given));
  return row ? { userId: row.userId, challenge: row.challenge } : null;
}

/** Spends a token: of two who use it, only one gets the person; null for an unknown, spent or expired one. */
export async function spendUserToken(tx: Tx, given: Given): Promise<Found | null> {
  if (!looksLike(given.purpose, given.secret)) return null;
  const [row] = await tx.update(userTokens).set({ usedAt: given.now }).where(sameAs(given)).returning();
  return row ? { userId: row.userId, challenge: row.challenge } : null;
}
