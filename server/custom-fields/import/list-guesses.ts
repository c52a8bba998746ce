import { tenant } from "@/db/client";
import { operation } from "@/server/ground/operation";
import { idInput, typed } from "@/server/ground/wire";
import { partnerDefinitions, propose } from "./map/default-plan";
import { presetOf } from "./presets";
import { findImport } from "./record/find";

/** Certainty of what is preselected, by column, for the wizard's marks. */
export const listGuesses = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: typed<Record<number, "sure" | "guess">>(),
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      const found = await findImport(tx, ctx, id);
      const definitions = await partnerDefinitions(tx, found.partnerId);
      const proposals = propose(found.columns, definitions, presetOf(found.source));
      return Object.fromEntries(
        proposals.flatMap((p, i) => (p.certainty ? [[found.columns[i]?.index ?? i, p.certainty]] : [])),
      );
    });
  },
});
