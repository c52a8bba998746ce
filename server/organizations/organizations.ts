import { randomBytes } from "node:crypto";
import { and, asc, eq, ilike, sql } from "drizzle-orm";
import { asSystem, type Tx, tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { organizations, partners, userOrganizations, users } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { callersChanged } from "@/server/ground/background/streams";
import type { Ctx } from "@/server/ground/context";
import { AppError, notFound } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { requireQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { homeOrgIn, partnerFor } from "@/server/ground/partner";
import { fromKeys, isoTimes, keysOf } from "@/server/ground/records";
import { inScope, ownPartner } from "@/server/ground/scope";
import { containsPattern, toSlug } from "@/server/ground/text";
import { requireMatch } from "@/server/ground/version";
import { onlyIdInput } from "@/server/ground/wire";
import { requireWholePartner } from "@/server/identity/auth/grant";
import { requireOwnFactor } from "@/server/identity/auth/second-factor/factors";
import { dropUserTokens } from "@/server/identity/auth/user-tokens";
import { followZone } from "@/server/notify/report-schedules/zone";
import {
  createInput,
  listInput,
  organization,
  organizationPage,
  partnerInput,
  partnerPolicy,
  partnerPolicyInput,
  type UpdateInput,
  updateInput,
} from "./schema";

/** Organizations in the caller's reach, by name; search is part of the name, in any case. */
export const listOrganizations = operation({
  input: listInput,
  output: organizationPage,
  run(ctx, input) {
    const where = and(
      inScope(organizations.id, ctx.scope),
      input.search ? ilike(organizations.name, containsPattern(input.search)) : undefined,
    );
    return tenant(ctx.scope, async (tx) => {
      const query = tx
        .select()
        .from(organizations)
        .orderBy(asc(sql`lower(${organizations.name})`), asc(organizations.id))
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: organizations, query, where });
      return { data: rows.map((row) => isoTimes(row)), pagination };
    });
  },
});

/**
 * One organization in the caller's reach.
 * @throws AppError not_found
 */
export const getOrganization = operation({
  input: onlyIdInput,
  output: organization,
  version: (found) => found,
  async run(ctx, { id }) {
    const where = and(inScope(organizations.id, ctx.scope), eq(organizations.id, id));
    const [row] = await tenant(ctx.scope, (tx) => tx.select().from(organizations).where(where));
    if (!row) throw notFound("organization");
    return isoTimes(row);
  },
});

/** Limited, because organizations are never deleted: their logs are kept. */
const MAX_PER_PARTNER = 10_000;

/** Inserts an organization with the first free variant of its slug. @throws AppError conflict when none is free */
export async function insertOrganization(
  tx: Tx,
  { partnerId, name, isHome = false }: { partnerId: string; name: string; isHome?: boolean },
): Promise<typeof organizations.$inferSelect> {
  const base = toSlug(name);
  for (let attempt = 0; attempt < 5; attempt++) {
    const slug = attempt === 0 ? base : `${base}-${randomBytes(3).toString("hex")}`;
    const [row] = await tx
      .insert(organizations)
      .values({ id: newId(), partnerId, name, slug, isHome, createdAt: new Date() })
      .onConflictDoNothing({ target: [organizations.partnerId, organizations.slug] })
      .returning();
    if (row) return row;
  }
  throw new AppError("conflict", "That name is in use too often.");
}

type Widened = { before: string[]; after: string[] };

/**
 * Adds the new organization to the reach of a creator with selected ones. Earlier links to this person would now give
 * more than intended, so they end.
 * @returns former and new reach, sorted; null for others
 */
async function grantCreatorAccess(tx: Tx, ctx: Ctx, orgId: string): Promise<Widened | null> {
  if (ctx.actor.type !== "user") return null;
  const limited = and(eq(users.id, ctx.actor.id), eq(users.allOrganizations, false));
  const [maker] = await tx.update(users).set({ updatedAt: ctx.now() }).where(limited).returning({ id: users.id });
  if (!maker) return null;
  const { userId, orgId: reached } = userOrganizations;
  const rows = await tx.select({ reached }).from(userOrganizations).where(eq(userId, maker.id)).orderBy(reached);
  await tx.insert(userOrganizations).values({ userId: maker.id, orgId });
  await dropUserTokens(tx, maker.id);
  const before = rows.map((row) => row.reached);
  return { before, after: [...before, orgId].sort() };
}

function recordWidened(ctx: Ctx, { before, after }: Widened): void {
  if (ctx.actor.type !== "user") return;
  record(ctx, {
    action: "user.permission.change",
    orgId: ctx.homeOrgId,
    ...resourceOf("user", ctx.actor),
    details: { before: { organizationIds: before }, after: { organizationIds: after } },
  });
}

/**
 * Creates a customer organization of the caller's partner. The database adds its audit retention policy.
 * @throws AppError forbidden for callers of a single organization, conflict when the partner has too many.
 */
export const createOrganization = operation({
  permission: "organizations:manage",
  input: createInput,
  output: organization,
  async run(ctx, input) {
    if (ctx.scope.kind === "organization") throw new AppError("forbidden", "Only a partner makes organizations.");
    const partnerId = await partnerFor(ctx, input.partnerId);
    const { row, widened } = await asSystem(async (tx) => {
      const where = eq(organizations.partnerId, partnerId);
      const bound = { max: MAX_PER_PARTNER, owner: partnerId, what: "organizations", remedy: "" };
      await requireQuota(tx, { table: organizations, where, ...bound });
      const created = await insertOrganization(tx, { partnerId, name: input.name });
      return { row: created, widened: await grantCreatorAccess(tx, ctx, created.id) };
    });
    record(ctx, {
      action: "organization.create",
      orgId: row.id,
      ...resourceOf("organization", row),
      details: { after: { name: row.name, slug: row.slug } },
    });
    if (widened) recordWidened(ctx, widened);
    return isoTimes(row);
  },
});

type Change = Partial<Pick<typeof organizations.$inferSelect, "name" | "requireTwoFactor" | "timeZone">>;

/** Values of the input that differ from the row. */
const changesOf = (
  row: typeof organizations.$inferSelect,
  { name, requireTwoFactor, timeZone }: UpdateInput,
): Change => ({
  ...(name !== undefined && name !== row.name && { name }),
  ...(requireTwoFactor !== undefined && requireTwoFactor !== row.requireTwoFactor && { requireTwoFactor }),
  ...(timeZone !== undefined && timeZone !== row.timeZone && { timeZone }),
});

/**
 * Changes an organization's name (its slug stays, because addresses contain it), second factor requirement (of the home
 * organization: the partner's staff; effective with their next request, ending open streams), or time zone of reports,
 * including scheduled ones.
 * @throws AppError not_found, conflict when the caller would need a factor that they do not have
 */
export const updateOrganization = operation({
  permission: "organizations:manage",
  stepUp: ({ requireTwoFactor }) => requireTwoFactor === false,
  input: updateInput,
  output: organization,
  version: (changed) => changed,
  async run(ctx, input) {
    const where = and(inScope(organizations.id, ctx.scope), eq(organizations.id, input.id));
    if (input.requireTwoFactor && ctx.homeOrgId === input.id) await requireOwnFactor(ctx);
    const { before, after, change } = await tenant(ctx.scope, async (tx) => {
      const [found] = await tx.select().from(organizations).where(where).for("update");
      if (!found) throw notFound("organization");
      requireMatch(ctx, isoTimes(found));
      const change = changesOf(found, input);
      if (Object.keys(change).length === 0) return { before: found, after: found, change };
      const set = { ...change, updatedAt: ctx.now() };
      const [changed] = await tx.update(organizations).set(set).where(where).returning();
      return { before: found, after: changed ?? found, change };
    });
    const names = keysOf(change);
    if (names.length > 0)
      record(ctx, {
        action: "organization.update",
        orgId: after.id,
        ...resourceOf("organization", after),
        details: { before: fromKeys(names, (name) => before[name]), after: change },
      });
    if (change.requireTwoFactor) callersChanged();
    if ("timeZone" in change) await followZone(after);
    return isoTimes(after);
  },
});

type Found = { id: string; willChange: boolean };

async function findPartner(tx: Tx, ctx: Ctx, { id, willChange }: Found): Promise<typeof partners.$inferSelect> {
  await requireWholePartner(tx, ctx);
  const found = tx.select().from(partners).where(eq(partners.id, id));
  const [row] = await (willChange ? found.for("update") : found);
  if (!row) throw notFound("partner");
  return row;
}

const toPolicy = ({ id, name, requireTwoFactor }: typeof partners.$inferSelect) => ({ id, name, requireTwoFactor });

/**
 * GET /orgs/partner: policy for every organization of the caller's partner.
 * @throws AppError forbidden for a caller who reaches less than the whole partner
 */
export const getPartnerPolicy = operation({
  permission: "organizations:manage",
  input: partnerInput,
  output: partnerPolicy,
  version: (policy) => policy,
  async run(ctx, { partnerId }) {
    const id = await partnerFor(ctx, partnerId);
    return toPolicy(await tenant(ctx.scope, (tx) => findPartner(tx, ctx, { id, willChange: false })));
  },
});

/**
 * PATCH /orgs/partner: requires a second factor of all users: the partner's staff and every organization's people.
 * Effective with their next request, ending open streams; organizations' own requirements stay.
 * @throws AppError forbidden, conflict when the caller would need a factor that they do not have
 */
export const setPartnerPolicy = operation({
  permission: "organizations:manage",
  stepUp: ({ requireTwoFactor }) => !requireTwoFactor,
  input: partnerPolicyInput,
  output: partnerPolicy,
  version: (policy) => policy,
  async run(ctx, { partnerId, requireTwoFactor }) {
    const id = await partnerFor(ctx, partnerId);
    if (requireTwoFactor && ownPartner(ctx.scope) === id) await requireOwnFactor(ctx);
    const { before, orgId } = await tenant(ctx.scope, async (tx) => {
      const found = await findPartner(tx, ctx, { id, willChange: true });
      requireMatch(ctx, toPolicy(found));
      if (found.requireTwoFactor !== requireTwoFactor)
        await tx.update(partners).set({ requireTwoFactor, updatedAt: ctx.now() }).where(eq(partners.id, id));
      return { before: found, orgId: await homeOrgIn(tx, id) };
    });
    if (before.requireTwoFactor !== requireTwoFactor) {
      if (requireTwoFactor) callersChanged();
      record(ctx, {
        action: "partner.update",
        orgId,
        ...resourceOf("partner", { id, name: before.name }),
        details: { before: { requireTwoFactor: before.requireTwoFactor }, after: { requireTwoFactor } },
      });
    }
    return { ...toPolicy(before), requireTwoFactor };
  },
});
