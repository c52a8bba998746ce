import { z } from "zod";
import { anyFieldKey, DATE_ORDERS, FIELD_TYPES, fieldOptions, MAX_FIELD_NAME } from "@/server/custom-fields/schema";
import { repairJson } from "@/server/text";
import { guid, nameText } from "@/server/wire";
import { MAX_IMPORT_COLUMNS } from "./limits-schema";
import { choiceDecisions } from "./map/choice-schema";
import type { SourceColumn } from "./map/column-schema";

/** The number of a column of the file, from 0. */
export const columnNo = z.int().min(0).max(MAX_IMPORT_COLUMNS);

const plannedField = z.strictObject({
  column: columnNo,
  /** create: a new definition with the id given here. existing: into that one. */
  action: z.enum(["create", "existing"]),
  fieldId: guid.nullable(),
  name: nameText(MAX_FIELD_NAME),
  fieldKey: anyFieldKey,
  type: z.enum(FIELD_TYPES),
  options: fieldOptions.nullable(),
  secret: z.boolean(),
  dateOrder: z.enum(DATE_ORDERS),
  /** Values that do not fit the existing definition are reported and the others imported: said by a person, never assumed. */
  typeConflictAccepted: z.boolean(),
  /** What a person decided about values that are none of the choices of a dropdown. */
  decisions: choiceDecisions.default([]),
  overwrite: z.boolean(),
  clearBlank: z.boolean(),
});
/** Left out, with the choices as the file has them: more than a field takes are nothing to correct here. */
const skippedField = plannedField.extend({ action: z.literal("skip"), options: z.array(z.string()).nullable() });

/** One source field's fate. */
const planField = z.discriminatedUnion("action", [plannedField, skippedField]);
export type PlanField = z.output<typeof planField>;

const planIdentifiers = z.strictObject({
  sourceId: columnNo.nullable(),
  hostname: columnNo.nullable(),
  organization: columnNo.nullable(),
  serial: columnNo.nullable(),
});
export type PlanIdentifiers = z.output<typeof planIdentifiers>;

export const plan = z
  .strictObject({ identifiers: planIdentifiers, fields: z.array(planField).max(MAX_IMPORT_COLUMNS) })
  .overwrite(repairJson);
export type Plan = z.output<typeof plan>;
export type ActivePlanField = PlanField & { action: "create" | "existing"; fieldId: string };

/** The fields that are imported: a plan without faults gives each its definition's id. */
export const activeFields = (plan: Plan): ActivePlanField[] =>
  plan.fields.filter((field): field is ActivePlanField => field.action !== "skip" && field.fieldId !== null);

/**
 * Values of a dropdown's column that are none of its choices: the undecided ones are counted, the most
 * frequent of them shown, and with them those that are decided.
 */
export type UnknownChoices = {
  column: number;
  count: number;
  different: number;
  values: { text: string; uses: number; line: number }[];
};
export type PlanFaults = { faults: { path: string; message: string }[]; unknown: UnknownChoices[] };

/** True where a column's values are not to be shown: the product says secret, or the field that they go into is one. */
export const isHidden = (column: SourceColumn, field: Pick<PlanField, "secret"> | undefined): boolean =>
  column.secret === "declared" || column.secret === "masked" || (field?.secret ?? column.secret !== null);
