import { and, eq, or, type SQL } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { isDuplicate } from "@/db/duplicate";
import { auditSavedViews, organizations } from "@/db/schema";
import { type Actor, type Ctx, ZERO_UUID } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import type { Role } from "@/server/ground/permissions";
import { inReach, inScope, ownOrg, ownPartner, reaches } from "@/server/ground/scope";
import { reachesWholePartner, requireWholePartner } from "@/server/identity/auth/grant";
import type { Person } from "@/server/identity/auth/person";
import type { Audience, SavedView } from "./schema";

export type SavedViewRow = typeof auditSavedViews.$inferSelect;
type Owner = Pick<SavedViewRow, "partnerId" | "orgId" | "shared">;

/** Who may share a view: all but viewers. Who may change any view: administrators. */
const SHARING_ROLES: readonly Role[] = [
  "org_admin",
  "org_technician",
  "partner_admin",
  "partner_technician",
  "system_admin",
];
const TENDING_ROLES: readonly Role[] = ["org_admin", "partner_admin", "system_admin"];

/** @throws AppError forbidden for programs: views are people's. */
export function personOf({ actor }: Ctx): Person {
  if (actor.type !== "user") throw new AppError("forbidden", "Saved views belong to people.");
  return actor;
}

export const mayShare = (actor: Actor): boolean => actor.type === "user" && SHARING_ROLES.includes(actor.role);

export const isMaker = (actor: Actor, { createdBy }: SavedViewRow): boolean =>
  actor.type === "user" && actor.id === createdBy;

const mayChange = (actor: Actor, row: SavedViewRow): boolean =>
  isMaker(actor, row) || (actor.type === "user" && row.shared && TENDING_ROLES.includes(actor.role));

/** True for what the caller made; a program makes none. */
export const isOwn = (actor: Actor): SQL => eq(auditSavedViews.createdBy, actor.type === "user" ? actor.id : ZERO_UUID);

/**
 * One's own views, and the shared ones of one's reach. A partner's are for those of its people who reach every customer:
 * they may name what belongs to one, and who does not reach it shall not read it.
 */
export async function visible(tx: Tx, ctx: Ctx): Promise<SQL> {
  const { actor, scope } = ctx;
  const t = auditSavedViews;
  const reached = (await reachesWholePartner(tx, ctx)) ? inReach(t, scope) : inScope(t.orgId, scope);
  return or(isOwn(actor), and(eq(t.shared, true), reached)) as SQL;
}

/** Whose a view is that the caller alone sees. */
export const privateOwner = ({ scope }: Ctx): Owner => ({
  partnerId: ownPartner(scope),
  orgId: ownOrg(scope),
  shared: false,
});

/**
 * Whose a view is that others see.
 * @throws AppError forbidden for a caller who may not share that far; validation_failed, not_found for the operator, who
 * has to name an organization that exists
 */
export async function sharedOwner(tx: Tx, ctx: Ctx, audience: NonNullable<Audience>): Promise<Owner> {
  const { scope } = ctx;
  if (!mayShare(ctx.actor)) throw new AppError("forbidden", "Your role may keep views, not share them.");
  if (audience.orgId === null) {
    if (scope.kind === "organization") throw new AppError("forbidden", "Only the partner may share with its people.");
    const partnerId = ownPartner(scope);
    if (partnerId === null) throw invalid("sharedWith", "name the organization");
    await requireWholePartner(tx, ctx, "You reach only some organizations: share it with one of them.");
    return { partnerId, orgId: null, shared: true };
  }
  if (!reaches(scope, audience.orgId)) throw new AppError("forbidden", "You have no access to that organization.");
  const [org] = await tx.select().from(organizations).where(eq(organizations.id, audience.orgId));
  if (!org) throw notFound("organization");
  return { partnerId: org.partnerId, orgId: org.id, shared: true };
}

/**
 * A view that the caller may change, locked for this transaction.
 * @throws AppError not_found for what the caller does not see, forbidden for what others share.
 */
export async function changeable(tx: Tx, ctx: Ctx, id: string): Promise<SavedViewRow> {
  const t = auditSavedViews;
  const [row] = await tx
    .select()
    .from(t)
    .where(and(await visible(tx, ctx), eq(t.id, id)))
    .for("update");
  if (!row) throw notFound("saved view");
  if (!mayChange(ctx.actor, row))
    throw new AppError("forbidden", "Only its creator or an administrator can change a shared view.");
  return row;
}

/** Who sees a view. */
export const audienceOf = (row: Owner): Audience => (row.shared ? { orgId: row.orgId } : null);

/** A view as this caller sees it. */
export const toSavedView = (row: SavedViewRow, { actor }: Ctx): SavedView => ({
  id: row.id,
  name: row.name,
  query: row.query,
  sharedWith: audienceOf(row),
  isMine: actor.type === "user" && row.createdBy === actor.id,
  mayChange: mayChange(actor, row),
  createdByName: row.createdByName,
});

/** In whose log a view is recorded: that of those who see it; one that is not shared is with its person's own. */
export const logOf = ({ homeOrgId }: Ctx, { shared, orgId }: Owner): string | null => (shared && orgId) || homeOrgId;

/** What the audit log holds of a view. */
export const auditable = (row: SavedViewRow): Record<string, unknown> => ({
  name: row.name,
  query: row.query,
  sharedWith: audienceOf(row),
});

/** A name that its owner has already is reported as such; any other error stays what it is. */
export function nameTaken(error: unknown): never {
  if (!isDuplicate(error)) throw error;
  const message = "there is a view of that name already";
  throw new AppError("conflict", "There is a view of that name already.", { errors: [{ path: "name", message }] });
}
