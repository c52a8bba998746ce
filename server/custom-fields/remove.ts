import { eq, sql } from "drizzle-orm";
import { asSystem, type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { customFieldDefinitions } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { operation } from "@/server/ground/operation";
import { idInput } from "@/server/ground/wire";
import { auditable, type DefinitionRow, manageable, requireRow, toDefinition } from "./definition";
import { lockDefinitions } from "./hold-definitions";
import { holders } from "./holders";
import { getDefinition } from "./list";
import { usage } from "./schema";

/** How many devices hold a value of the field, within the caller's reach. */
export const countUsage = operation({
  permission: "custom_fields:manage",
  input: idInput,
  output: usage,
  async run(ctx, input) {
    const found = await getDefinition.run(ctx, input);
    const [row] = await tenant(ctx.scope, (tx) =>
      rowsOf<{ n: number }>(tx, sql`SELECT count(*)::int AS n FROM ${holders(found)}`),
    );
    return { id: found.id, values: row?.n ?? 0 };
  },
});

async function dropValues(tx: Tx, row: DefinitionRow): Promise<number> {
  const [done] = await rowsOf<{ n: number }>(
    tx,
    sql`
    WITH gone AS (
      UPDATE custom_field_values SET "values" = "values" - ${row.id}::text, updated_at = now()
      WHERE device_id IN (SELECT v.device_id FROM ${holders(row)}) RETURNING 1
    ) SELECT count(*)::int AS n FROM gone`,
  );
  return done?.n ?? 0;
}

/**
 * Deletes a definition and every value of it: of a field of All organizations the values in all of them, which only who
 * reaches them all may do.
 * @throws AppError not_found, forbidden.
 */
export const removeDefinition = operation({
  permission: "custom_fields:manage",
  input: idInput,
  output: "empty",
  async run(ctx, { id }) {
    const found = await tenant(ctx.scope, (tx) => manageable(tx, ctx, id));
    const { gone, values } = await asSystem(async (tx) => {
      await lockDefinitions(tx, found);
      // Another person may have deleted it meanwhile: then that deletion, alone, is recorded.
      const rows = await tx.delete(customFieldDefinitions).where(eq(customFieldDefinitions.id, found.id)).returning();
      const gone = requireRow(rows[0]);
      return { gone, values: await dropValues(tx, gone) };
    });
    record(ctx, {
      action: "custom_field.delete",
      orgId: gone.orgId ?? ctx.homeOrgId,
      ...resourceOf("custom_field", gone),
      details: { before: auditable(toDefinition(gone)), values },
    });
  },
});
