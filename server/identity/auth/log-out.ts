import { and, eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { refreshTokens } from "@/db/schema";
import { callersChanged } from "@/server/ground/background/streams";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { hashSecret } from "@/server/ground/secrets";
import { recordOwn } from "./person";
import { logoutInput } from "./schema";
import { endSessions } from "./sessions";

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
