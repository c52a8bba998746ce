import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { auditSavedViews } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { operation } from "@/server/ground/operation";
import { idInput } from "@/server/ground/wire";
import { auditable, changeable, logOf } from "./saved-view";

/** Deletes a view, for all who saw it. @throws AppError not_found, forbidden. */
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
