import { and, eq, gt, isNull } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { refreshTokens } from "@/db/schema";
import { callersChanged } from "@/server/ground/background/streams";
import { AppError } from "@/server/ground/errors";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { hashSecret, looksLike } from "@/server/ground/secrets";
import { findUserCaller } from "./caller";
import { recordOwn } from "./person";
import { refreshInput, tokenOutput } from "./schema";
import { addRefreshToken, endSessions, lockSignIns } from "./sessions";
import { toTokens } from "./start-session";

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
