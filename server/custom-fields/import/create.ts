import { tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import { newId } from "@/server/ids";
import { operation } from "@/server/operation";
import { typed } from "@/server/wire";
import { partnerScope, personOf, toImportState, toRecord } from "./find-import";
import { presetOf } from "./presets";
import { type ImportState, sourceInput } from "./schema";

/** Creates an import from a source product. Nothing is audited before it writes anything. */
export const createImport = operation({
  permission: "custom_fields:import",
  input: sourceInput,
  output: typed<ImportState>(),
  async run(ctx, { source }) {
    const scope = partnerScope(ctx);
    const person = personOf(ctx);
    const preset = presetOf(source);
    const [row] = await tenant(scope, (tx) =>
      tx
        .insert(customFieldImports)
        .values({
          id: newId(),
          partnerId: scope.partnerId,
          orgIds: [...scope.orgIds],
          createdBy: person.id,
          createdByName: person.name,
          source: preset.id,
        })
        .returning(),
    );
    return toImportState(toRecord(row));
  },
});
