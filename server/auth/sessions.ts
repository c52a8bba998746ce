import { and, eq, isNull, lt } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { refreshTokens } from "@/db/schema";
import { newSecret } from "./secrets";

/** A refresh token lives so long unless it is used, which replaces it. */
const REFRESH_TOKEN_SECONDS = 30 * 24 * 60 * 60;

const inSeconds = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000);

/** Adds a refresh token to a sign-in's family, and clears away this person's long expired ones. */
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
  return secret;
}

/** Ends one sign-in (sid) of a person, or all of them: every token made from it is worthless from now on. */
export async function endSessions(
  tx: Tx,
  { userId, sid, now }: { userId: string; sid?: string | undefined; now: Date },
): Promise<void> {
  const which = sid ? eq(refreshTokens.familyId, sid) : undefined;
  await tx
    .update(refreshTokens)
    .set({ revokedAt: now })
    .where(and(eq(refreshTokens.userId, userId), which, isNull(refreshTokens.revokedAt)));
}
