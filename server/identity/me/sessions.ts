import { and, countDistinct, desc, eq, gt, isNull, max, min, sql } from "drizzle-orm";
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

/** A sign-in lives as long as a refresh token of its family; sign-ins of earlier versions have no row. */
const living = {
  id: refreshTokens.familyId,
  via: userSessions.via,
  ip: userSessions.ip,
  userAgent: userSessions.userAgent,
  createdAt: sql<Date>`coalesce(${userSessions.createdAt}, ${min(refreshTokens.createdAt)})`.mapWith(
    refreshTokens.createdAt,
  ),
  lastSeenAt: sql<Date>`coalesce(${userSessions.lastSeenAt}, ${max(refreshTokens.createdAt)})`.mapWith(
    refreshTokens.createdAt,
  ),
};

/** GET /me/sessions: the caller's active sign-ins; this one first, then most recently used. */
export const listSessions = operation({
  account: true,
  input: noInput,
  output: sessionList,
  async run(ctx) {
    const { id: userId } = requirePerson(ctx);
    const alive = and(isNull(refreshTokens.revokedAt), gt(refreshTokens.expiresAt, ctx.now()));
    const mine = and(eq(refreshTokens.userId, userId), alive);
    const isCurrent = sql`${refreshTokens.familyId} IS NOT DISTINCT FROM ${ctx.session?.id ?? null}::uuid`;
    const [rows, [counted]] = await asSystem((tx) =>
      Promise.all([
        tx
          .select(living)
          .from(refreshTokens)
          .leftJoin(userSessions, eq(userSessions.id, refreshTokens.familyId))
          .where(mine)
          .groupBy(refreshTokens.familyId, userSessions.id)
          .orderBy(desc(isCurrent), desc(living.lastSeenAt), refreshTokens.familyId)
          .limit(MAX_LISTED_SESSIONS),
        tx
          .select({ total: countDistinct(refreshTokens.familyId) })
          .from(refreshTokens)
          .where(mine),
      ]),
    );
    return {
      total: counted?.total ?? 0,
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
