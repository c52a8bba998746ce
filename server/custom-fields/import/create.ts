import { and, eq, isNull } from "drizzle-orm";
import { tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import { newId } from "@/server/ground/ids";
import { requireRoom } from "@/server/ground/limits/room";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { toImportState } from "./import-state";
import { presetOf } from "./presets";
import { toRecord } from "./record/record";
import { partnerScope, personOf } from "./record/scope";
import { type ImportState, sourceInput } from "./schema";

/** Of imports that were not started: each is kept, with its files, until it is discarded or its days are over. */
const MAX_DRAFTS = 500;
const t = customFieldImports;

/**
 * Creates an import from a source product. Nothing is audited before it writes anything.
 * @throws AppError conflict while the partner has too many that were not started.
 */
export const createImport = operation({
  permission: "custom_fields:import",
  input: sourceInput,
  output: typed<ImportState>(),
  async run(ctx, { source }) {
    const scope = partnerScope(ctx);
    const person = personOf(ctx);
    const preset = presetOf(source);
    const [row] = await tenant(scope, async (tx) => {
      const where = and(eq(t.partnerId, scope.partnerId), isNull(t.startedAt));
      const bound = { max: MAX_DRAFTS, owner: scope.partnerId, what: "imports that were not started" };
      await requireRoom(tx, { table: t, where, ...bound });
      return tx
        .insert(t)
        .values({
          id: newId(),
          partnerId: scope.partnerId,
          orgIds: [...scope.orgIds],
          createdBy: person.id,
          createdByName: person.name,
          source: preset.id,
        })
        .returning();
    });
    return toImportState(toRecord(row));
  },
});
