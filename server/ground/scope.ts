import { eq, isNull, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { uuids } from "@/db/arrays";
import type { Ctx, Scope } from "./context";
import { AppError } from "./errors";
import { includesPermission, type Permission } from "./permissions";

/** True if the scope reaches the organization. */
export function reaches(scope: Scope, orgId: string): boolean {
  return scope.kind === "system" || scope.orgIds.includes(orgId);
}

/** True if the scope reaches everything another one does. */
export const reachesAll = (scope: Scope, other: Scope): boolean =>
  scope.kind === "system" || (other.kind !== "system" && other.orgIds.every((orgId) => reaches(scope, orgId)));

/**
 * First condition of every query over a table with an org_id. Many organizations are one parameter: a partner of a
 * thousand would otherwise need a thousand, with a new statement text each time.
 */
export function inScope(column: PgColumn, scope: Scope): SQL {
  if (scope.kind === "system") return sql`true`;
  if (scope.orgIds.length === 1) return eq(column, scope.orgIds[0]);
  return scope.orgIds.length === 0 ? sql`false` : sql`${column} = ANY (${uuids(scope.orgIds)})`;
}

type OwnedTable = { orgId: PgColumn; partnerId: PgColumn };
/** Owner of an object: an organization or, if orgId is null, the partner. */
export type Owner = { orgId: string | null; partnerId: string };

/** Rows of one owner. */
export const ofOwner = (t: OwnedTable, { orgId, partnerId }: Owner): SQL =>
  orgId ? eq(t.orgId, orgId) : sql`(${isNull(t.orgId)} AND ${eq(t.partnerId, partnerId)})`;

/** Rows that a caller administers: its organizations' and, for a partner, the partner's own. */
export function inReach(t: OwnedTable, scope: Scope): SQL {
  const ofOrganizations = inScope(t.orgId, scope);
  if (scope.kind !== "partner" || scope.partnerId === null) return ofOrganizations;
  return sql`(${ofOrganizations} OR ${ofOwner(t, { orgId: null, partnerId: scope.partnerId })})`;
}

/** Organization of a single-organization caller. */
export const ownOrg = (scope: Scope): string | null => (scope.kind === "organization" ? scope.orgIds[0] : null);

/** The caller's partner; the platform's operator has none. */
export const ownPartner = (scope: Scope): string | null => (scope.kind === "system" ? null : scope.partnerId);

/**
 * The caller's scope narrowed to the named organizations, if any.
 * @throws AppError forbidden when one of them lies outside the caller's reach.
 */
export function narrow(ctx: Ctx, named: string | readonly string[] | undefined): Ctx {
  const orgIds = [...new Set([named ?? []].flat())];
  const [orgId] = orgIds;
  if (!orgId) return ctx;
  if (!orgIds.every((id) => reaches(ctx.scope, id)))
    throw new AppError("forbidden", "You have no access to that organization.");
  const partnerId = ownPartner(ctx.scope);
  const { recheck } = ctx;
  return {
    ...ctx,
    scope:
      orgIds.length > 1 ? { kind: "partner", orgIds, partnerId } : { kind: "organization", orgIds: [orgId], partnerId },
    ...(recheck && { recheck: async () => narrow(await recheck(), named) }),
  };
}

/** @throws AppError forbidden when the caller lacks the permission. */
export function requirePermission(ctx: Ctx, permission: Permission): void {
  if (!includesPermission(ctx.permissions, permission))
    throw new AppError("forbidden", `This needs the permission ${permission}.`);
}
