import { tenant } from "@/db/client";
import type { Ctx } from "@/server/context";
import { findImport } from "./find-import";
import { partnerDefinitions, propose } from "./map/default-plan";
import { presetOf } from "./presets";

/** Certainty of what is preselected, by column, for the wizard's marks. */
export function listGuesses(ctx: Ctx, { id }: { id: string }): Promise<Record<number, "sure" | "guess">> {
  return tenant(ctx.scope, async (tx) => {
    const found = await findImport(tx, ctx, id);
    const definitions = await partnerDefinitions(tx, found.partnerId);
    const proposals = propose(found.columns, definitions, presetOf(found.source));
    return Object.fromEntries(
      proposals.flatMap((p, i) => (p.certainty ? [[found.columns[i]?.index ?? i, p.certainty]] : [])),
    );
  });
}
