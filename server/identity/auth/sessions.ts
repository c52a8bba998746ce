import { and, eq, gt, isNull, lt, ne, notExists } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { refreshTokens, userSessions, users } from "@/db/schema";
import { callersChanged } from "@/server/ground/background/streams";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { hashSecret, looksLike, newSecret } from "@/server/ground/secrets";
import { findUserCaller } from "./caller";
import { ACCESS_TOKEN_SECONDS, scopeClaims, signAccessToken } from "./jwt";
import { recordOwn, type UserCaller } from "./person";
import { logoutInput, refreshInput, type TokenOutput, tokenOutput } from "./schema";

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
async function addRefreshToken(
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

type Rotation =
  | { kind: "fresh"; userId: string; sid: string; next: string }
  | { kind: "reused"; userId: string }
  | { kind: "unknown" };

/**
 * Marks the token as used and adds its successor in one transaction, so that only one of two concurrent uses succeeds.
 */
function rotate(tokenHash: string, now: Date): Promise<Rotation> {
  return asSystem(async (tx): Promise<Rotation> => {
    const unused = and(isNull(refreshTokens.usedAt), isNull(refreshTokens.revokedAt), gt(refreshTokens.expiresAt, now));
    const same = eq(refreshTokens.tokenHash, tokenHash);
    const [owner] = await tx.select({ id: refreshTokens.userId }).from(refreshTokens).where(same);
    if (owner) await lockSignIns(tx, owner.id);
    const [used] = await tx.update(refreshTokens).set({ usedAt: now }).where(and(same, unused)).returning();
    if (used) {
      const { userId, familyId: sid } = used;
      return { kind: "fresh", userId, sid, next: await addRefreshToken(tx, { userId, sid, now }) };
    }
    const [known] = await tx.select().from(refreshTokens).where(same);
    // A token ended before its use was not stolen: its holder just does not know.
    if (!known?.usedAt) return { kind: "unknown" };
    await endSessions(tx, { userId: known.userId, sid: known.familyId, now });
    return { kind: "reused", userId: known.userId };
  });
}

/**
 * POST /auth/refresh: exchanges a refresh token for new tokens. A token used twice was stolen or copied, so its whole
 * family ends, access tokens included.
 * @throws AppError unauthenticated, rate_limited
 */
export const refreshToken = operation({
  input: refreshInput,
  output: tokenOutput,
  async run(ctx, input) {
    await limit("refresh", ctx.ip);
    const rotation: Rotation = looksLike("refresh", input.refreshToken)
      ? await rotate(hashSecret(input.refreshToken), ctx.now())
      : { kind: "unknown" };
    if (rotation.kind === "reused") callersChanged();
    const caller = rotation.kind === "unknown" ? null : await findUserCaller(rotation.userId);
    const reuse = { result: "denied", errorMessage: "A refresh token was used twice." } as const;
    if (rotation.kind === "reused" && caller)
      recordOwn({ ...ctx, ...caller }, { action: "user.token.reuse", ...reuse });
    if (rotation.kind !== "fresh" || !caller)
      throw new AppError("unauthenticated", "The refresh token is unknown, expired or spent.");
    return toTokens({ caller, sid: rotation.sid, refreshToken: rotation.next });
  },
});

async function familyOf(userId: string, token: string): Promise<string | undefined> {
  const [row] = await asSystem((tx) =>
    tx
      .select({ sid: refreshTokens.familyId })
      .from(refreshTokens)
      .where(and(eq(refreshTokens.userId, userId), eq(refreshTokens.tokenHash, hashSecret(token)))),
  );
  return row?.sid;
}

/** Ends a sign-in (sid), or all of a person's, and records it. */
export async function endSignIn(ctx: Ctx, sid?: string): Promise<void> {
  const { actor } = ctx;
  if (actor.type !== "user") return;
  await asSystem((tx) => endSessions(tx, { userId: actor.id, now: ctx.now(), sid }));
  callersChanged();
  recordOwn(ctx, { action: "user.logout", details: sid ? { sessionId: sid } : {} });
}

/**
 * POST /auth/logout: ends the sign-in of the refresh token, or all of the caller's without one. An unknown token, or
 * another user's, changes nothing and gets the same answer.
 * @throws AppError forbidden for an API key, which has no sign-in.
 */
export const logOut = operation({
  account: true,
  input: logoutInput,
  output: "empty",
  async run(ctx, input) {
    if (ctx.actor.type !== "user") throw new AppError("forbidden", "An API key is not signed in; revoke it instead.");
    const sid = input.refreshToken ? await familyOf(ctx.actor.id, input.refreshToken) : undefined;
    if (input.refreshToken && !sid) return;
    await endSignIn(ctx, sid);
  },
});
