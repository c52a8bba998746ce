import { randomBytes } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { organizations, userOrganizations, users } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/context";
import { AppError } from "@/server/errors";
import { newId } from "@/server/ids";
import { requireRoom } from "@/server/limits/room";
import { operation } from "@/server/operation";
import { partnerFor } from "@/server/partner";
import { toSlug } from "@/server/text";
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

/** People who reach selected organizations only must reach the new one, too. */
async function grantCreatorAccess(tx: Tx, ctx: Ctx, orgId: string): Promise<void> {
  if (ctx.actor.type !== "user") return;
  const limited = and(eq(users.id, ctx.actor.id), eq(users.allOrganizations, false));
  const [maker] = await tx.select({ id: users.id }).from(users).where(limited);
  if (maker) await tx.insert(userOrganizations).values({ userId: maker.id, orgId });
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
    const row = await asSystem(async (tx) => {
      const where = eq(organizations.partnerId, partnerId);
      const bound = { max: MAX_PER_PARTNER, owner: partnerId, what: "organizations", remedy: "" };
      await requireRoom(tx, { table: organizations, where, ...bound });
      const created = await insertOrganization(tx, { partnerId, name: input.name });
      await grantCreatorAccess(tx, ctx, created.id);
      return created;
    });
    record(ctx, {
      action: "organization.create",
      orgId: row.id,
      ...resourceOf("organization", row),
      details: { after: { name: row.name, slug: row.slug } },
    });
    return toOrganization(row);
  },
});
