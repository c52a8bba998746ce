import type { Tx } from "@/db/client";
import { holdDefinitions, rulesOf } from "@/server/custom-fields/definitions";
import type { LoadedPlan } from "@/server/custom-fields/import/decide/load-plan";
import { AppError } from "@/server/ground/errors";

/**
 * Holds the fields of a run for one of its transactions.
 * @throws AppError conflict when one of them has been deleted, or given another type, since the run was loaded
 */
export async function requireSameFields(tx: Tx, { partnerId, fields }: LoadedPlan): Promise<void> {
  await holdDefinitions(tx, { partnerId });
  const rules = await rulesOf(
    tx,
    fields.map(({ fieldId }) => fieldId),
  );
  const other = fields.find(({ fieldId, rule }) => rules.get(fieldId)?.type !== rule.type);
  if (other)
    throw new AppError(
      "conflict",
      `${other.name} was deleted or given another type during the import, which ended there.`,
    );
}
