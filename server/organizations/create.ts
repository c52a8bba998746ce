import { randomBytes } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { organizations, userOrganizations, users } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { requireQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { partnerFor } from "@/server/ground/partner";
import { toSlug } from "@/server/ground/text";
import { dropUserTokens } from "@/server/identity/auth/user-tokens";
import { createInput, organization } from "./schema";
import { toOrganization } from "./to-organization";

/** Nothing ends one: its log is kept. */
const MAX_PER_PARTNER = 10_000;

/** Inserts an organization under the first free form of its slug. @throws AppError conflict when none is free */
export async function insertOrganization(
  tx: Tx,
  { partnerId, name, isHome = false }: { partnerId: string; name: string; isHome?: boolean },
): Promise<typeof organizations.$inferSelect> {
  const base = toSlug(name);
  for (let attempt = 0; attempt < 5; attempt++) {
    const slug = attempt === 0 ? base : `${base}-${randomBytes(3).toString("hex")}`;
    const [row] = await tx
      .insert(organizations)
      .values({ id: newId(), partnerId, name, slug, isHome })
      .onConflictDoNothing({ target: [organizations.partnerId, organizations.slug] })
      .returning();
    if (row) return row;
  }
  throw new AppError("conflict", "That name is in use too often.");
}

type Widened = { before: string[]; after: string[] };

/**
 * People who reach selected organizations only must reach the new one, too. A link that was made for them before would give
 * its holder more than it was meant to.
 * @returns what they reached and reach, sorted; null for all others
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
 * Creates a customer organization below the caller's partner. The database gives it its audit retention policy.
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
    return toOrganization(row);
  },
});
