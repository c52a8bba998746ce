import { count, eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { oneOf } from "@/db/rows";
import { auditSavedViews } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { AppError } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { countInTurn } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { auditable, nameTaken, personOf, privateOwner, sharedOwner, toSavedView } from "./saved-view";
import { createInput, MAX_VIEWS_PER_PERSON, savedView } from "./schema";

async function refuseTooMany(tx: Tx, personId: string): Promise<void> {
  const t = auditSavedViews;
  await countInTurn(tx, `views of ${personId}`);
  const [row] = await tx.select({ total: count() }).from(t).where(eq(t.createdBy, personId));
  if ((row?.total ?? 0) >= MAX_VIEWS_PER_PERSON)
    throw new AppError("conflict", `You keep ${MAX_VIEWS_PER_PERSON} views already; delete one first.`);
}

/**
 * Keeps a view for the caller, or for all with whom it is shared.
 * @throws AppError conflict when the name is taken or the caller keeps too many; forbidden for a caller who may not share.
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
