import { and, asc, desc, eq, exists, gt, isNull, sql } from "drizzle-orm";
import { asSystem, tenant } from "@/db/client";
import { organizations, users } from "@/db/schema";
import { refreshTokens, userSessions } from "@/db/schema/index";
import { callersChanged } from "@/server/ground/background/streams";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { isoTimes } from "@/server/ground/records";
import { inScope, ownPartner } from "@/server/ground/scope";
import { noInput, onlyIdInput } from "@/server/ground/wire";
import { reachesWholePartner } from "@/server/identity/auth/grant";
import { recordOwn, requirePerson } from "@/server/identity/auth/person";
import { provenPassword, requirePassword } from "@/server/identity/auth/prove-password";
import { endSessions } from "@/server/identity/auth/sessions";
import { setPassword } from "@/server/identity/auth/set-password";
import { MAX_LISTED_SESSIONS, me, passwordChanged, passwordInput, sessionList } from "./schema";

/** GET /me: the caller, its organizations and its permissions. */
export const getMe = operation({
  account: true,
  input: noInput,
  output: me,
  async run(ctx) {
    const { actor, scope } = ctx;
    if (actor.type !== "user" && actor.type !== "api_key") throw new AppError("unauthenticated");
    const [own, allOrganizations, reached] = await tenant(scope, (tx) =>
      Promise.all([
        tx.select({ department: users.department }).from(users).where(eq(users.id, actor.id)),
        reachesWholePartner(tx, ctx),
        tx
          .select({
            id: organizations.id,
            name: organizations.name,
            slug: organizations.slug,
            isHome: organizations.isHome,
          })
          .from(organizations)
          .where(inScope(organizations.id, scope))
          .orderBy(asc(sql`lower(${organizations.name})`), asc(organizations.id)),
      ]),
    );
    const person = actor.type === "user" ? { email: actor.email, role: actor.role } : { email: "", role: "" };
    return {
      user: { type: actor.type, id: actor.id, name: actor.name, ...person, department: own[0]?.department ?? "" },
      scope: scope.kind,
      partnerId: ownPartner(scope),
      homeOrgId: ctx.homeOrgId,
      allOrganizations,
      organizations: reached,
      mustSetUpTwoFactor: ctx.mustEnroll === true,
      permissions: [...ctx.permissions].sort(),
    };
  },
});

/**
 * POST /me/password: changes the caller's password, with the current one as proof. Ends all other sign-ins.
 * @throws AppError validation_failed for a wrong current password, rate_limited after too many, forbidden for a
 * program, conflict for a person without a password.
 */
export const changePassword = operation({
  account: true,
  input: passwordInput,
  output: passwordChanged,
  async run(ctx, { currentPassword, newPassword }) {
    const person = requirePerson(ctx);
    await requirePassword(person.id);
    const former = await provenPassword(person.id, currentPassword);
    const chosen = { user: person, password: newPassword, path: "newPassword", now: ctx.now() };
    // Null if another request replaced it first.
    const endedSessions =
      former === null ? null : await setPassword({ ...chosen, former, exceptSession: ctx.session?.id });
    if (endedSessions === null) {
      const errorMessage = "The current password is wrong.";
      recordOwn(ctx, { action: "user.password.change", result: "failure", errorMessage });
      throw invalid("currentPassword", "is wrong");
    }
    callersChanged();
    recordOwn(ctx, { action: "user.password.change", details: { endedSessions } });
    return { endedSessions };
  },
});

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
        ...isoTimes(row),
        via: row.via === "browser" ? ("browser" as const) : ("api" as const),
        current: row.id === ctx.session?.id,
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
    recordOwn(ctx, { action: "user.session.end", details: { sessionId: sid } });
  },
});
