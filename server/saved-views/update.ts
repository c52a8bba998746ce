import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { oneOf } from "@/db/rows";
import { auditSavedViews } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { operation } from "@/server/operation";
import { auditable, changeable, nameTaken, sharedOwner, toSavedView } from "./saved-view";
import { savedView, updateInput } from "./schema";

/**
 * Renames a view, replaces its query or changes who sees it; who made it stays.
 * @throws AppError not_found, forbidden, or conflict when the name is taken.
 */
export const updateSavedView = operation({
  permission: "audit:read",
  input: updateInput,
  output: savedView,
  async run(ctx, input) {
    const { before, after } = await tenant(ctx.scope, async (tx) => {
      const row = await changeable(tx, ctx, input.id);
      // No longer shared, it stays where its maker finds it.
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
    record(ctx, {
      action: "audit.view.update",
      orgId: after.orgId ?? ctx.homeOrgId,
      ...resourceOf("audit_view", after),
      details: { before: auditable(before), after: auditable(after) },
    });
    return toSavedView(after, ctx);
  },
});
