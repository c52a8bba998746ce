import { tenant } from "@/db/client";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { reachesWholePartner } from "@/server/identity/auth/grant";
import { partnerDefinitions } from "./map/default-plan";
import { planFaults } from "./map/plan-faults";
import { unknownChoices } from "./map/unknown-choices";
import type { PlanFaults } from "./plan-schema";
import { findImport } from "./record/find";

/**
 * What still keeps the plan from being checked, tied to its fields, and the values of dropdowns that are none of their
 * choices, for the wizard to show beside them.
 */
export const listFaults = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<PlanFaults>(),
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      const { plan, columns, partnerId } = await findImport(tx, ctx, id);
      if (!plan) return { faults: [], unknown: [] };
      const definitions = await partnerDefinitions(tx, partnerId);
      const unknown = await unknownChoices(tx, { importId: id, plan, definitions, columns });
      const mayDefine = await reachesWholePartner(tx, ctx);
      return { faults: planFaults(plan, { columns, definitions, mayDefine, unknown }), unknown };
    });
  },
});
