import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { oneOf } from "@/db/rows";
import { auditSavedViews } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import {
  audienceOf,
  auditable,
  changeable,
  isMaker,
  logOf,
  nameTaken,
  type SavedViewRow,
  sharedOwner,
  toSavedView,
} from "./saved-view";
import { savedView, updateInput } from "./schema";

type Change = { before: SavedViewRow; after: SavedViewRow };

/** Whom a view went to, for the log of those who had it: an organization does not read which other one it was. */
const newAudience = ({ before, after }: Change) =>
  [before, after].every(({ shared, orgId }) => shared && orgId) ? "another organization" : audienceOf(after);

/**
 * Records a change in the log of those whose view it is. Where it went to others, each log has its own side of it: the
 * former ones' what it was and that it is theirs no more, the new ones' what it is.
 */
function recordUpdate(ctx: Ctx, change: Change): void {
  const { before, after } = change;
  const from = logOf(ctx, before);
  // What another person stops sharing stays with those who had it: it is none of that person's own log.
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
 * Renames a view, replaces its query or changes who sees it; who made it stays.
 * @throws AppError not_found, forbidden, or conflict when the name is taken.
 */
export const updateSavedView = operation({
  permission: "audit:read",
  input: updateInput,
  output: savedView,
  async run(ctx, input) {
    const change = await tenant(ctx.scope, async (tx) => {
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
    recordUpdate(ctx, change);
    return toSavedView(change.after, ctx);
  },
});
