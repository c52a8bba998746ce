import { and, eq, gt, isNull } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { userTokens } from "@/db/schema";
import { hashSecret, looksLike, newSecret } from "@/server/auth/secrets";

/** How long what is handed out for a purpose is good. */
const LIFETIME_MS = {
  invite: 7 * 24 * 60 * 60 * 1000,
  reset: 60 * 60 * 1000,
  second_factor: 5 * 60 * 1000,
} as const;
export type TokenPurpose = keyof typeof LIFETIME_MS;

type Issue = { userId: string; purpose: TokenPurpose; now: Date };

/** A fresh token for a person; of links, an earlier one for the same purpose is worthless from now on. */
export async function issueUserToken(
  tx: Tx,
  { userId, purpose, now }: Issue,
): Promise<{ secret: string; expiresAt: Date }> {
  const { secret, hash: tokenHash } = newSecret(purpose);
  const expiresAt = new Date(now.getTime() + LIFETIME_MS[purpose]);
  await tx.delete(userTokens).where(and(eq(userTokens.userId, userId), eq(userTokens.purpose, purpose)));
  await tx.insert(userTokens).values({ userId, purpose, tokenHash, expiresAt, createdAt: now });
  return { secret, expiresAt };
}

/** Spends a token: of two who use it, only one gets the person; null for an unknown, spent or expired one. */
export async function spendUserToken(
  tx: Tx,
  { secret, purpose, now }: { secret: string; purpose: TokenPurpose; now: Date },
): Promise<string | null> {
  if (!looksLike(purpose, secret)) return null;
  const good = and(isNull(userTokens.usedAt), gt(userTokens.expiresAt, now));
  const same = and(eq(userTokens.tokenHash, hashSecret(secret)), eq(userTokens.purpose, purpose));
  const [row] = await tx.update(userTokens).set({ usedAt: now }).where(and(same, good)).returning();
  return row?.userId ?? null;
}
