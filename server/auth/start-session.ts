import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { userSessions, users } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import type { Caller, Ctx } from "@/server/context";
import { newId } from "@/server/ids";
import type { Person } from "./person";
import { addRefreshToken } from "./sessions";

/** A proven sign-in: who, its id (the refresh family) and the first refresh token. */
export type SignIn = { caller: Caller & { actor: Person }; sid: string; refreshToken: string };

/** Which door a person came through, and how long (seconds) the sign-in's refresh token lives. */
export type Door = { via: "api" | "browser"; seconds?: number };

/** What a person proved who they are with. */
export type Method = "password" | "totp" | "recovery_code" | "passkey" | "oidc";

/** Begins a sign-in of a person who has just proved who they are, and records it. */
export async function startSession(
  ctx: Ctx,
  caller: SignIn["caller"],
  { via, seconds, methods }: Door & { methods: Method[] },
): Promise<SignIn> {
  const { id: userId, name } = caller.actor;
  const sid = newId();
  const now = ctx.now();
  const refreshToken = await asSystem(async (tx) => {
    await tx.update(users).set({ lastLoginAt: now }).where(eq(users.id, userId));
    const token = await addRefreshToken(tx, { userId, sid, now, seconds });
    const from = { ip: ctx.ip, userAgent: ctx.userAgent?.slice(0, 1000) ?? null };
    await tx
      .insert(userSessions)
      .values({ id: sid, userId, via, ...from, createdAt: now, lastSeenAt: now, provenAt: now });
    return token;
  });
  record(
    { ...ctx, ...caller },
    {
      action: "user.login",
      orgId: caller.homeOrgId,
      resourceType: "user",
      resourceId: userId,
      resourceName: name,
      details: { sessionId: sid, via, methods },
    },
  );
  return { caller, sid, refreshToken };
}
