import { and, count, eq, isNull, ne, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { users } from "@/db/schema";
import type { ActionCode } from "@/server/audit/actions";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { callersChanged } from "@/server/ground/background/streams";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { homeOrgIn } from "@/server/ground/partner";
import { isPartnerRole, ROLE_PERMISSIONS, type Role } from "@/server/ground/permissions";
import { inReach } from "@/server/ground/scope";
import { requireMatch, versionOf } from "@/server/ground/version";
import { requireMayGrantRole, requireWholePartner } from "@/server/identity/auth/grant";
import { endSessions } from "@/server/identity/auth/sessions";
import { dropUserTokens } from "@/server/identity/auth/user-tokens";
import { dropMails, requireReachOver, setReach } from "./reach";
import { type UpdateInput, updateInput, user } from "./schema";
import { hasTwoFactor, toUser, userColumns } from "./users";

type Row = Parameters<typeof toUser>[0];
type Change = { role: Role; department: string; disabledAt: Date | null; requireTwoFactor: boolean };
/** Sorted organizations of partner staff; null is all, undefined no change. */
type Reach = string[] | null | undefined;
type Update = { before: Row; change: Change & { reach: Reach } };

const isDisabled = ({ disabledAt }: Row): boolean => disabledAt !== null;
const reachOf = (row: Row): string[] | null => (row.allOrganizations ? null : row.organizationIds);
const isSameReach = (a: string[] | null, b: string[] | null) => a?.join() === b?.join();

/** The requested reach, if it differs from the current one. */
function newReach(before: Row, { organizationIds }: UpdateInput): Reach {
  if (organizationIds === undefined) return undefined;
  if (!isPartnerRole(before.role)) throw invalid("organizationIds", "is for partner roles only");
  const wanted = organizationIds && [...new Set(organizationIds)].sort();
  return isSameReach(wanted, reachOf(before)) ? undefined : wanted;
}

/** True if a person loses a permission or an organization. */
function isReduced({ before, change: { role, reach } }: Update): boolean {
  const hasLostPermission = ROLE_PERMISSIONS[before.role].some((one) => !ROLE_PERMISSIONS[role].includes(one));
  if (!reach) return hasLostPermission;
  return hasLostPermission || (reachOf(before)?.some((orgId) => !reach.includes(orgId)) ?? true);
}

/** Nobody may change a user above them, raise one above them, or change themselves. */
async function requireMayChange(tx: Tx, ctx: Ctx, { before, change }: Update): Promise<void> {
  const role = before.role;
  requireMayGrantRole(ctx, role);
  if (isPartnerRole(role)) await requireWholePartner(tx, ctx);
  const isSelf = ctx.actor.type === "user" && ctx.actor.id === before.id;
  const changesAccess =
    change.role !== role ||
    change.reach !== undefined ||
    change.requireTwoFactor !== before.requireTwoFactor ||
    (change.disabledAt === null) !== (before.disabledAt === null);
  if (isSelf && changesAccess) throw new AppError("forbidden", "Ask another administrator to change your own access.");
  if (change.reach && before.partnerId)
    await requireReachOver(tx, ctx, { partnerId: before.partnerId, organizationIds: change.reach });
  if (change.role === role) return;
  if (role === "system_admin" || isPartnerRole(change.role) !== isPartnerRole(role))
    throw invalid("role", "must be of the same kind: of an organization or of a partner");
  requireMayGrantRole(ctx, change.role);
}

/**
 * A partner keeps one admin who reaches all of it, because no one else could restore that; an organization keeps one,
 * unless its partner removes the last.
 */
async function requireAdminLeft(tx: Tx, ctx: Ctx, { before, change }: Update): Promise<void> {
  const role = before.role;
  const isWhole = role === "partner_admin" && before.allOrganizations;
  const guarded = isWhole || (role === "org_admin" && ctx.scope.kind === "organization");
  const narrows = change.reach !== undefined && change.reach !== null;
  const leaves = before.disabledAt === null && (change.role !== role || change.disabledAt !== null || narrows);
  if (!guarded || !leaves) return;
  // Of two administrators who remove each other at once, the second waits and then sees the first change.
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`admins ${before.orgId ?? before.partnerId}`}, 0))`,
  );
  const sameOwner = before.orgId ? eq(users.orgId, before.orgId) : eq(users.partnerId, before.partnerId ?? "");
  const alike = and(sameOwner, eq(users.role, role), isWhole ? eq(users.allOrganizations, true) : undefined);
  const others = and(alike, isNull(users.disabledAt), ne(users.id, before.id));
  const [left] = await tx.select({ n: count() }).from(users).where(others);
  if (!left?.n) throw new AppError("conflict", "This is the last administrator; create another one first.");
}

function recordChanges(ctx: Ctx, { before, after, orgId }: { before: Row; after: Row; orgId: string | null }): void {
  const about = { orgId, ...resourceOf("user", after) };
  const say = (action: ActionCode, changed: (row: Row) => object) =>
    record(ctx, { ...about, action, details: { before: changed(before), after: changed(after) } });
  if (before.role !== after.role) say("user.permission.change", ({ role }) => ({ role }));
  if (before.department !== after.department) say("user.update", ({ department }) => ({ department }));
  if (before.requireTwoFactor !== after.requireTwoFactor)
    say("user.update", ({ requireTwoFactor }) => ({ requireTwoFactor }));
  if (!isSameReach(reachOf(before), reachOf(after)))
    say("user.permission.change", (row) => ({ organizationIds: reachOf(row) }));
  if (isDisabled(before) !== isDisabled(after))
    say(isDisabled(after) ? "user.disable" : "user.enable", (row) => ({ disabled: isDisabled(row) }));
}

/**
 * Changes a person's role, department, reach, access or second factor requirement, effective with their next request.
 * @throws AppError not_found, forbidden above or beside the caller's own rank, conflict for the last administrator.
 */
export const updateUser = operation({
  permission: "users:manage",
  // Only changes that may give more; disabling an account must not wait.
  stepUp: ({ role, organizationIds, disabled, requireTwoFactor }) =>
    role !== undefined || organizationIds !== undefined || disabled === false || requireTwoFactor === false,
  input: updateInput,
  output: user,
  version: versionOf,
  async run(ctx, input) {
    const now = ctx.now();
    // As the platform, which alone sees sign-ins and links: disabling a person ends them in the same transaction.
    const changed = await asSystem(async (tx) => {
      const where = and(inReach(users, ctx.scope), eq(users.id, input.id));
      // Locks for update, because writers of mails to the person hold a key share of this row.
      const [found] = await tx.select(userColumns).from(users).where(where).for("update", { of: users });
      if (!found) throw notFound("user");
      requireMatch(ctx, versionOf(found));
      const change: Change = {
        role: input.role ?? found.role,
        department: input.department ?? found.department,
        requireTwoFactor: input.requireTwoFactor ?? found.requireTwoFactor,
        disabledAt: input.disabled === undefined ? found.disabledAt : input.disabled ? (found.disabledAt ?? now) : null,
      };
      const reach = newReach(found, input);
      const update = { before: found, change: { ...change, reach } };
      await requireMayChange(tx, ctx, update);
      await requireAdminLeft(tx, ctx, update);
      await tx
        .update(users)
        .set({ ...change, updatedAt: now })
        .where(eq(users.id, found.id));
      if (reach !== undefined) await setReach(tx, found.id, reach);
      const hasOtherAccess =
        change.role !== found.role || reach !== undefined || change.disabledAt !== found.disabledAt;
      const reached = reach === undefined ? {} : { allOrganizations: reach === null, organizationIds: reach ?? [] };
      if (change.disabledAt && !found.disabledAt) await endSessions(tx, { userId: found.id, now });
      if (hasOtherAccess) await dropUserTokens(tx, found.id);
      if (isReduced(update)) await dropMails(tx, found.id);
      const orgId = found.orgId ?? (await homeOrgIn(tx, found.partnerId));
      return { before: found, after: { ...found, ...change, ...reached, updatedAt: now }, orgId };
    });
    callersChanged();
    recordChanges(ctx, changed);
    return toUser(changed.after, await hasTwoFactor(changed.after.id));
  },
});
