import { tenant } from "@/db/client";
import type { Ctx } from "@/server/context";
import type { FieldError } from "@/server/errors";
import { findImport } from "./find-import";
import { partnerDefinitions } from "./map/default-plan";
import { planFaults } from "./map/plan-faults";

/** What still keeps the plan from being checked, tied to its fields, for the wizard to show beside them. */
export function listFaults(ctx: Ctx, { id }: { id: string }): Promise<FieldError[]> {
  return tenant(ctx.scope, async (tx) => {
    const found = await findImport(tx, ctx, id);
    return found.plan ? planFaults(found.plan, found.columns, await partnerDefinitions(tx, found.partnerId)) : [];
  });
}
