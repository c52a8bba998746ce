import { eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { users } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import {
  includesPermission,
  isPartnerRole,
  type Permission,
  ROLE_PERMISSIONS,
  type Role,
} from "@/server/ground/permissions";

/** The command line acts as the platform and may grant anything. */
const isPlatform = (ctx: Ctx): boolean => ctx.actor.type === "system" && ctx.scope.kind === "system";

/**
 * No role has audit:write, so people may grant it to keys they create; a key grants only its own permissions.
 * @throws AppError forbidden when a permission is above the caller's own
 */
export function requireMayGrant(ctx: Ctx, permissions: readonly Permission[]): void {
  if (isPlatform(ctx)) return;
  const mayGive = (p: Permission) =>
    includesPermission(ctx.permissions, p) || (p === "audit:write" && ctx.actor.type === "user");
  const above = permissions.filter((p) => !mayGive(p));
  if (above.length > 0) throw new AppError("forbidden", `You cannot give what you do not have: ${above.join(", ")}.`);
}

/** @throws AppError forbidden when the role is above the caller's own. */
export function requireMayGrantRole(ctx: Ctx, role: Role): void {
  if (isPlatform(ctx)) return;
  const wider = isPartnerRole(role)
    ? ctx.scope.kind === "organization"
    : role === "system_admin" && ctx.scope.kind !== "system";
  if (wider || ROLE_PERMISSIONS[role].some((p) => !includesPermission(ctx.permissions, p)))
    throw new AppError("forbidden", "That role is above your own.");
}

/** True if the caller reaches every organization of its partner, future ones included. */
export async function reachesWholePartner(tx: Tx, ctx: Ctx): Promise<boolean> {
  if (ctx.scope.kind === "system") return true;
  if (ctx.scope.kind === "organization" || ctx.scope.partnerId === null) return false;
  if (ctx.actor.type !== "user") return true;
  const [row] = await tx.select({ all: users.allOrganizations }).from(users).where(eq(users.id, ctx.actor.id));
  return row?.all ?? false;
}

/**
 * Refuses partner-wide actions to callers who reach only selected organizations.
 * @throws AppError forbidden
 */
export async function requireWholePartner(
  tx: Tx,
  ctx: Ctx,
  message = "This concerns organizations that you have no access to.",
): Promise<void> {
  if (!(await reachesWholePartner(tx, ctx))) throw new AppError("forbidden", message);
}
