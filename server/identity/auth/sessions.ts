import { and, eq, isNull, lt, ne, notExists } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { refreshTokens, userSessions, users } from "@/db/schema";
import { newSecret } from "@/server/ground/secrets";

/** Lifetime of an unused refresh token; each use replaces it. */
const REFRESH_TOKEN_SECONDS = 30 * 24 * 60 * 60;

const inSeconds = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000);

/**
 * Serializes everything that starts, renews or ends a person's sign-ins or changes their second factors, so that ending
 * all sees a token being created, or the reverse. Must come first in a transaction.
 */
export async function lockSignIns(tx: Tx, userId: string): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("no key update");
}

/** Adds a refresh token to a sign-in's family, and removes the person's long expired ones. */
export async function addRefreshToken(
  tx: Tx,
  {
    userId,
    sid,
    now,
    seconds = REFRESH_TOKEN_SECONDS,
  }: { userId: string; sid: string; now: Date; seconds?: number | undefined },
): Promise<string> {
  const { secret, hash } = newSecret("refresh");
  await tx.delete(refreshTokens).where(and(eq(refreshTokens.userId, userId), lt(refreshTokens.expiresAt, now)));
  await tx
    .insert(refreshTokens)
    .values({ familyId: sid, userId, tokenHash: hash, expiresAt: inSeconds(now, seconds), createdAt: now });
  const tokens = tx.select().from(refreshTokens).where(eq(refreshTokens.familyId, userSessions.id));
  await tx.delete(userSessions).where(and(eq(userSessions.userId, userId), notExists(tokens)));
  return secret;
}

type Which = { userId: string; sid?: string | undefined; except?: string | undefined; now: Date };

/**
 * Ends one sign-in (sid) of a person, or all but one (except): all of its tokens become invalid.
 * @returns the number of sign-ins ended, without expired ones.
 */
export async function endSessions(tx: Tx, { userId, sid, except, now }: Which): Promise<number> {
  await lockSignIns(tx, userId);
  const which = and(
    sid ? eq(refreshTokens.familyId, sid) : undefined,
    except ? ne(refreshTokens.familyId, except) : undefined,
  );
  const ended = await tx
    .update(refreshTokens)
    .set({ revokedAt: now })
    .where(and(eq(refreshTokens.userId, userId), which, isNull(refreshTokens.revokedAt)))
    .returning({ sid: refreshTokens.familyId, expiresAt: refreshTokens.expiresAt });
  return new Set(ended.filter(({ expiresAt }) => expiresAt > now).map((row) => row.sid)).size;
}
