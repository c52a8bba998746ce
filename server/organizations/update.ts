import { and, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { organizations } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { notFound } from "@/server/errors";
import { operation } from "@/server/operation";
import { inScope } from "@/server/scope";
import { repairText } from "@/server/text";
import { organization, updateInput } from "./schema";
import { toOrganization } from "./to-organization";

/**
 * Renames an organization within the caller's reach; its slug stays, because addresses hold it.
 * @throws AppError not_found
 */
export const updateOrganization = operation({
  permission: "organizations:manage",
  input: updateInput,
  output: organization,
  async run(ctx, input) {
    const name = repairText(input.name);
    const where = and(inScope(organizations.id, ctx.scope), eq(organizations.id, input.id));
    const { before, after } = await tenant(ctx.scope, async (tx) => {
      const [found] = await tx.select().from(organizations).where(where).for("update");
      if (!found) throw notFound("organization");
      if (found.name === name) return { before: found, after: found };
      const [changed] = await tx.update(organizations).set({ name, updatedAt: ctx.now() }).where(where).returning();
      return { before: found, after: changed ?? found };
    });
    if (before.name !== after.name)
      record(ctx, {
        action: "organization.update",
        orgId: after.id,
        resourceType: "organization",
        resourceId: after.id,
        resourceName: after.name,
        details: { before: { name: before.name }, after: { name: after.name } },
      });
    return toOrganization(after);
  },
});
