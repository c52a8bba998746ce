import { and, desc, eq, gt, isNull, max, min, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { refreshTokens, userSessions } from "@/db/schema";
import { requirePerson } from "@/server/auth/person";
import { operation } from "@/server/operation";
import { noInput } from "@/server/wire";
import { sessionList } from "./schema";

/** A sign-in lives as long as a refresh token of its family; one of an earlier version has no separate row. */
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

/** GET /me/sessions: the caller's sign-ins that have not ended, the one last used first. */
export const listSessions = operation({
  account: true,
  input: noInput,
  output: sessionList,
  async run(ctx) {
    const { id: userId } = requirePerson(ctx);
    const alive = and(isNull(refreshTokens.revokedAt), gt(refreshTokens.expiresAt, ctx.now()));
    const rows = await asSystem((tx) =>
      tx
        .select(living)
        .from(refreshTokens)
        .leftJoin(userSessions, eq(userSessions.id, refreshTokens.familyId))
        .where(and(eq(refreshTokens.userId, userId), alive))
        .groupBy(refreshTokens.familyId, userSessions.id)
        .orderBy(desc(living.lastSeenAt), refreshTokens.familyId),
    );
    return {
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
