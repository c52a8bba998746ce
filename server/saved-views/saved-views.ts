import { and, asc, count, desc, eq, or, type SQL, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { isDuplicate } from "@/db/duplicate";
import { oneOf } from "@/db/rows";
import { auditSavedViews, organizations } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { type Actor, type Ctx, ZERO_UUID } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { countInTurn } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import type { Role } from "@/server/ground/permissions";
import { inReach, inScope, ownOrg, ownPartner, reaches } from "@/server/ground/scope";
import { idInput, noInput } from "@/server/ground/wire";
import { reachesWholePartner, requireWholePartner } from "@/server/identity/auth/grant";
import type { Person } from "@/server/identity/auth/person";
import {
  type Audience,
  createInput,
  MAX_LISTED_VIEWS,
  MAX_VIEWS_PER_PERSON,
  type SavedView,
  savedView,
  savedViewList,
  updateInput,
} from "./schema";

export type SavedViewRow = typeof auditSavedViews.$inferSelect;
type Owner = Pick<SavedViewRow, "partnerId" | "orgId" | "shared">;

/** All but viewers may share a view; administrators may change any view. */
const SHARING_ROLES: readonly Role[] = [
  "org_admin",
  "org_technician",
  "partner_admin",
  "partner_technician",
  "system_admin",
];
const TENDING_ROLES: readonly Role[] = ["org_admin", "partner_admin", "system_admin"];

/** @throws AppError forbidden for programs, which have no views. */
function personOf({ actor }: Ctx): Person {
  if (actor.type !== "user") throw new AppError("forbidden", "Saved views belong to people.");
  return actor;
}

const mayShare = (actor: Actor): boolean => actor.type === "user" && SHARING_ROLES.includes(actor.role);

const isMaker = (actor: Actor, { createdBy }: SavedViewRow): boolean => actor.type === "user" && actor.id === createdBy;

const mayChange = (actor: Actor, row: SavedViewRow): boolean =>
  isMaker(actor, row) || (actor.type === "user" && row.shared && TENDING_ROLES.includes(actor.role));

/** True for the caller's own; programs have none. */
const isOwn = (actor: Actor): SQL => eq(auditSavedViews.createdBy, actor.type === "user" ? actor.id : ZERO_UUID);

/**
 * The caller's own views and shared ones in reach. A partner's views are for staff who reach every customer, because
 * they may name one.
 */
async function visible(tx: Tx, ctx: Ctx): Promise<SQL> {
  const { actor, scope } = ctx;
  const t = auditSavedViews;
  const reached = (await reachesWholePartner(tx, ctx)) ? inReach(t, scope) : inScope(t.orgId, scope);
  return or(isOwn(actor), and(eq(t.shared, true), reached)) as SQL;
}

/** Owner of a private view. */
const privateOwner = ({ scope }: Ctx): Owner => ({
  partnerId: ownPartner(scope),
  orgId: ownOrg(scope),
  shared: false,
});

/**
 * Owner of a shared view.
 * @throws AppError forbidden for a caller who may not share that far; validation_failed, not_found for the operator,
 * who must name an existing organization
 */
async function sharedOwner(tx: Tx, ctx: Ctx, audience: NonNullable<Audience>): Promise<Owner> {
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
 * @throws AppError not_found for an invisible view, forbidden for others' shared ones.
 */
async function changeable(tx: Tx, ctx: Ctx, id: string): Promise<SavedViewRow> {
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

/** The people who see a view. */
const audienceOf = (row: Owner): Audience => (row.shared ? { orgId: row.orgId } : null);

/** A view as shown to this caller. */
const toSavedView = (row: SavedViewRow, { actor }: Ctx): SavedView => ({
  id: row.id,
  name: row.name,
  query: row.query,
  sharedWith: audienceOf(row),
  isMine: actor.type === "user" && row.createdBy === actor.id,
  mayChange: mayChange(actor, row),
  createdByName: row.createdByName,
});

/** Organization that records a view: its audience's, or its owner's home if private. */
const logOf = ({ homeOrgId }: Ctx, { shared, orgId }: Owner): string | null => (shared && orgId) || homeOrgId;

const auditable = (row: SavedViewRow): Record<string, unknown> => ({
  name: row.name,
  query: row.query,
  sharedWith: audienceOf(row),
});

/** Reports a duplicate name of its owner; rethrows other errors. */
function nameTaken(error: unknown): never {
  if (!isDuplicate(error)) throw error;
  const message = "there is a view of that name already";
  throw new AppError("conflict", "There is a view of that name already.", { errors: [{ path: "name", message }] });
}

/** The caller's own views, then shared ones in reach, each by name. */
export const listSavedViews = operation({
  permission: "audit:read",
  input: noInput,
  output: savedViewList,
  async run(ctx) {
    const t = auditSavedViews;
    const rows = await tenant(ctx.scope, async (tx) =>
      tx
        .select()
        .from(t)
        .where(await visible(tx, ctx))
        .orderBy(desc(isOwn(ctx.actor)), asc(sql`lower(${t.name})`), asc(t.id))
        .limit(MAX_LISTED_VIEWS),
    );
    return { data: rows.map((row) => toSavedView(row, ctx)), mayShare: mayShare(ctx.actor) };
  },
});

async function refuseTooMany(tx: Tx, personId: string): Promise<void> {
  const t = auditSavedViews;
  await countInTurn(tx, `views of ${personId}`);
  const [row] = await tx.select({ total: count() }).from(t).where(eq(t.createdBy, personId));
  if ((row?.total ?? 0) >= MAX_VIEWS_PER_PERSON)
    throw new AppError("conflict", `You keep ${MAX_VIEWS_PER_PERSON} views already; delete one first.`);
}

/**
 * Saves a view for the caller, or for its audience.
 * @throws AppError conflict when the name is taken or the caller has too many; forbidden for a caller who may not
 * share.
 */
export const createSavedView = operation({
  permission: "audit:read",
  input: createInput,
  output: savedView,
  async run(ctx, input) {
    const { name, query, sharedWith } = input;
    const person = personOf(ctx);
    const row = await tenant(ctx.scope, async (tx) => {
      const owner = sharedWith ? await sharedOwner(tx, ctx, sharedWith) : privateOwner(ctx);
      await refuseTooMany(tx, person.id);
      const values = { id: newId(), name, query, ...owner, createdBy: person.id, createdByName: person.name };
      return oneOf(await tx.insert(auditSavedViews).values(values).returning());
    }).catch(nameTaken);
    record(ctx, {
      action: "audit.view.create",
      orgId: row.orgId ?? ctx.homeOrgId,
      ...resourceOf("audit_view", row),
      details: { after: auditable(row) },
    });
    return toSavedView(row, ctx);
  },
});

type Change = { before: SavedViewRow; after: SavedViewRow };

/** New audience of a view, for the former audience's log: without the name of another organization. */
const newAudience = ({ before, after }: Change) =>
  [before, after].every(({ shared, orgId }) => shared && orgId) ? "another organization" : audienceOf(after);

/**
 * Records a change in the log of the view's audience. After a change of audience each log has its own side: the former
 * one's that it lost the view, the new one's its contents.
 */
function recordUpdate(ctx: Ctx, change: Change): void {
  const { before, after } = change;
  const from = logOf(ctx, before);
  // A view unshared by another person is recorded only with its former audience.
  const to = after.shared || isMaker(ctx.actor, after) ? logOf(ctx, after) : from;
  const sides =
    from === to
      ? [{ orgId: to, row: after, details: { before: auditable(before), after: auditable(after) } }]
      : [
          {
            orgId: from,
            row: before,
            details: { before: auditable(before), after: { sharedWith: newAudience(change) } },
          },
          { orgId: to, row: after, details: { after: auditable(after) } },
        ];
  for (const { orgId, row, details } of sides)
    record(ctx, { action: "audit.view.update", orgId, ...resourceOf("audit_view", row), details });
}

/**
 * Renames a view, replaces its query or changes its audience; the owner stays.
 * @throws AppError not_found, forbidden, or conflict when the name is taken.
 */
export const updateSavedView = operation({
  permission: "audit:read",
  input: updateInput,
  output: savedView,
  async run(ctx, input) {
    const change = await tenant(ctx.scope, async (tx) => {
      const row = await changeable(tx, ctx, input.id);
      // A view that is no longer shared moves to its owner's list.
      const scope = input.sharedWith
        ? await sharedOwner(tx, ctx, input.sharedWith)
        : { shared: input.sharedWith === undefined && row.shared };
      const changed = await tx
        .update(auditSavedViews)
        .set({ name: input.name ?? row.name, query: input.query ?? row.query, ...scope, updatedAt: ctx.now() })
        .where(eq(auditSavedViews.id, row.id))
        .returning();
      return { before: row, after: oneOf(changed) };
    }).catch(nameTaken);
    recordUpdate(ctx, change);
    return toSavedView(change.after, ctx);
  },
});

/** Deletes a view for its whole audience. @throws AppError not_found, forbidden. */
export const removeSavedView = operation({
  permission: "audit:read",
  input: idInput,
  output: "empty",
  async run(ctx, { id }) {
    const row = await tenant(ctx.scope, async (tx) => {
      const found = await changeable(tx, ctx, id);
      await tx.delete(auditSavedViews).where(eq(auditSavedViews.id, found.id));
      return found;
    });
    record(ctx, {
      action: "audit.view.delete",
      orgId: logOf(ctx, row),
      ...resourceOf("audit_view", row),
      details: { before: auditable(row) },
    });
  },
});
