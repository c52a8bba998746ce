import { tenant } from "@/db/client";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { reachesWholePartner } from "@/server/identity/auth/grant";
import { defaultPlan, definingNothing, partnerDefinitions } from "./map/default-plan";
import { presetOf } from "./presets";
import { lockImport } from "./record/find";
import { requireIdle } from "./record/require";
import { storePlan } from "./save-plan";
import type { ImportState } from "./schema";

/** Replaces a plan that came from a saved mapping: it is guessed from the columns, as for a first import. */
export const ignoreMapping = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<ImportState>(),
  async run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      const found = await lockImport(tx, ctx, id);
      requireIdle(found, "staged", "checked");
      const definitions = await partnerDefinitions(tx, found.partnerId);
      const guessed = defaultPlan(found.columns, definitions, presetOf(found.source));
      const plan = (await reachesWholePartner(tx, ctx)) ? guessed : definingNothing(guessed);
      return storePlan(tx, ctx, { found, plan, summary: { ...found.summary, mappingFrom: undefined } });
    });
  },
});
