import { tenant } from "@/db/client";
import type { FieldError } from "@/server/errors";
import { operation } from "@/server/operation";
import { idInput, typed } from "@/server/wire";
import { findImport } from "./find-import";
import { partnerDefinitions } from "./map/default-plan";
import { planFaults } from "./map/plan-faults";

/** What still keeps the plan from being checked, tied to its fields, for the wizard to show beside them. */
export const listFaults = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<FieldError[]>(),
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      const found = await findImport(tx, ctx, id);
      return found.plan ? planFaults(found.plan, found.columns, await partnerDefinitions(tx, found.partnerId)) : [];
    });
  },
});
