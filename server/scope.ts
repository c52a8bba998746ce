import { eq, inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Ctx, Scope } from "./context";
import { AppError } from "./errors";

/** True when the scope reaches the organization. */
export function reaches(scope: Scope, orgId: string): boolean {
  return scope.kind === "system" || scope.orgIds.includes(orgId);
}

/** The first condition of every query over a table with an org_id. */
export function inScope(column: PgColumn, scope: Scope): SQL {
  if (scope.kind === "system") return sql`true`;
  if (scope.orgIds.length === 1) return eq(column, scope.orgIds[0]);
  return scope.orgIds.length === 0 ? sql`false` : inArray(column, [...scope.orgIds]);
}

/**
 * The caller's scope cut down to one organization, where the request names one.
 * @throws AppError forbidden when the organization lies outside the caller's reach.
 */
export function narrow(ctx: Ctx, orgId: string | undefined): Ctx {
  if (!orgId) return ctx;
  if (!reaches(ctx.scope, orgId)) throw new AppError("forbidden", "That organization is outside your reach.");
  const partnerId = ctx.scope.kind === "system" ? "" : ctx.scope.partnerId;
  const { recheck } = ctx;
  return {
    ...ctx,
    scope: { kind: "organization", orgIds: [orgId], partnerId },
    ...(recheck && { recheck: async () => narrow(await recheck(), orgId) }),
  };
}

/** @throws AppError forbidden when the caller lacks the permission. */
export function requirePermission(
  ctx: Ctx,
  permission: Ctx["permissions"] extends ReadonlySet<infer P> ? P : never,
): void {
  if (!ctx.permissions.has(permission)) throw new AppError("forbidden", `This needs the permission ${permission}.`);
}
