import { and, desc, eq, exists, gt, isNull, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { refreshTokens, userSessions } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { callersChanged } from "@/server/ground/background/streams";
import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { noInput, onlyIdInput } from "@/server/ground/wire";
import { requirePerson } from "@/server/identity/auth/person";
import { endSessions } from "@/server/identity/auth/sessions";
import { MAX_LISTED_SESSIONS, sessionList } from "./schema";

/** GET /me/sessions: the caller's active sign-ins; this one first, then most recently used. */
export const listSessions = operation({
  account: true,
  input: noInput,
  output: sessionList,
  async run(ctx) {
    const { id: userId } = requirePerson(ctx);
    // A sign-in lives as long as a refresh token of its family.
    const ofFamily = and(eq(refreshTokens.familyId, userSessions.id), isNull(refreshTokens.revokedAt));
    const isCurrent = sql`${userSessions.id} IS NOT DISTINCT FROM ${ctx.session?.id ?? null}::uuid`;
    const { id, via, ip, userAgent, createdAt, lastSeenAt } = userSessions;
    const { rows, total } = await asSystem(async (tx) => {
      const alive = tx
        .select()
        .from(refreshTokens)
        .where(and(ofFamily, gt(refreshTokens.expiresAt, ctx.now())));
      const mine = and(eq(userSessions.userId, userId), exists(alive));
      const rows = await tx
        .select({ id, via, ip, userAgent, createdAt, lastSeenAt })
        .from(userSessions)
        .where(mine)
        .orderBy(desc(isCurrent), desc(lastSeenAt), id)
        .limit(MAX_LISTED_SESSIONS);
      return { rows, total: await tx.$count(userSessions, mine) };
    });
    return {
      total,
      data: rows.map((row) => ({
        ...row,
        via: row.via === "browser" ? ("browser" as const) : ("api" as const),
        current: row.id === ctx.session?.id,
        createdAt: row.createdAt.toISOString(),
        lastSeenAt: row.lastSeenAt.toISOString(),
      })),
    };
  },
});

/**
 * DELETE /me/sessions/:id: ends one of the caller's sign-ins; its tokens are refused from the next request on.
 * @throws AppError not_found for one that has ended or is another user's, forbidden for a program.
 */
export const endSession = operation({
  account: true,
  input: onlyIdInput,
  output: "empty",
  async run(ctx, { id: sid }) {
    const person = requirePerson(ctx);
    const ended = await asSystem((tx) => endSessions(tx, { userId: person.id, sid, now: ctx.now() }));
    if (ended === 0) throw notFound("session");
    callersChanged();
    record(ctx, {
      action: "user.session.end",
      orgId: ctx.homeOrgId,
      ...resourceOf("user", person),
      details: { sessionId: sid },
    });
  },
});
