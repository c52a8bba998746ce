import { and, eq, isNull } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { userSessions, users } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { ACCESS_TOKEN_SECONDS, scopeClaims, signAccessToken } from "./jwt";
import type { UserCaller } from "./person";
import { recordOwn } from "./person";
import type { TokenOutput } from "./schema";
import { addRefreshToken } from "./sessions";

/** A proven sign-in: the caller, its id (the refresh family) and first refresh token. */
export type SignIn = { caller: UserCaller; sid: string; refreshToken: string };

/** The door used, and the lifetime (seconds) of the sign-in's refresh token. */
export type Door = { via: "api" | "browser"; seconds?: number };

/** Refusal of a correct proof that is no longer valid. */
export const OUTDATED = "What you proved yourself by was used or changed meanwhile. Sign in again.";

/** A person's proofs at sign-in. */
export type Method = "password" | "totp" | "recovery_code" | "passkey" | "oidc";

/**
 * A person's proof of identity. isGood is checked once the account can no longer change, because proving takes time and
 * may be outdated.
 */
export type Proven = { methods: Method[]; isGood?: (tx: Tx) => Promise<boolean> };

/**
 * Starts a sign-in for a person who has just proved their identity, and records it.
 * @throws AppError unauthenticated when the proof is outdated, or the person was disabled
 */
export async function startSession(
  ctx: Ctx,
  caller: UserCaller,
  { via, seconds, methods, isGood = async () => true }: Door & Proven,
): Promise<SignIn> {
  const { id: userId } = caller.actor;
  const sid = newId();
  const now = ctx.now();
  const refreshToken = await asSystem(async (tx) => {
    const enabled = and(eq(users.id, userId), isNull(users.disabledAt));
    const [person] = await tx.update(users).set({ lastLoginAt: now }).where(enabled).returning({ id: users.id });
    if (!person || !(await isGood(tx))) throw new AppError("unauthenticated", OUTDATED);
    const token = await addRefreshToken(tx, { userId, sid, now, seconds });
    const from = { ip: ctx.ip, userAgent: ctx.userAgent?.slice(0, 1000) ?? null };
    await tx
      .insert(userSessions)
      .values({ id: sid, userId, via, ...from, createdAt: now, lastSeenAt: now, provenAt: now });
    return token;
  });
  recordOwn({ ...ctx, ...caller }, { action: "user.login", details: { sessionId: sid, via, methods } });
  return { caller, sid, refreshToken };
}

/** The API's pair of tokens for a sign-in. */
export async function toTokens({ caller, sid, refreshToken }: SignIn): Promise<TokenOutput> {
  const accessToken = await signAccessToken({ sub: caller.actor.id, sid, ...scopeClaims(caller.scope) });
  return { accessToken, tokenType: "Bearer", expiresIn: ACCESS_TOKEN_SECONDS, refreshToken };
}
