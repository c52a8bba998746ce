import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { customFieldDefinitions } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { operation } from "@/server/operation";
import { repairJson } from "@/server/text";
import { auditable, fitToType, manageable, requireRow, toDefinition } from "./definition";
import { definition, updateInput } from "./schema";

/**
 * Changes what may change of a definition; key and type stay. Stored values are left alone.
 * @throws AppError not_found, forbidden, or validation_failed where options or default do not fit the type.
 */
export const updateDefinition = operation({
  permission: "custom_fields:manage",
  input: updateInput,
  output: definition,
  async run(ctx, given) {
    const input = repairJson(given);
    const { before, after } = await tenant(ctx.scope, async (tx) => {
      const row = await manageable(tx, ctx, input.id);
      const fitted = fitToType({
        type: row.type,
        options: input.options === undefined ? row.options : input.options,
        defaultValue: input.defaultValue === undefined ? row.defaultValue : input.defaultValue,
      });
      const [changed] = await tx
        .update(customFieldDefinitions)
        .set({
          name: input.name ?? row.name,
          required: input.required ?? row.required,
          secret: input.secret ?? row.secret,
          deviceTypes:
            input.deviceTypes === undefined ? row.deviceTypes : input.deviceTypes?.length ? input.deviceTypes : null,
          ...fitted,
          updatedAt: ctx.now(),
        })
        .where(eq(customFieldDefinitions.id, row.id))
        .returning();
      return { before: toDefinition(row), after: toDefinition(requireRow(changed)) };
    });
    record(ctx, {
      action: "custom_field.update",
      orgId: after.orgId ?? ctx.homeOrgId,
      resourceType: "custom_field",
      resourceId: after.id,
      resourceName: after.name,
      details: { before: auditable(before), after: auditable(after) },
    });
    return after;
  },
});
