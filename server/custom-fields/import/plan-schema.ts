import { z } from "zod";
import {
  anyFieldKey,
  DATE_ORDERS,
  type DateOrder,
  FIELD_TYPES,
  type FieldType,
  fieldOptions,
  MAX_CHOICE,
  MAX_FIELD_NAME,
} from "@/server/custom-fields/schema";
import { fromKeys, keysOf } from "@/server/ground/records";
import { repairJson } from "@/server/ground/text";
import { guid, nameText } from "@/server/ground/wire";

/** Rows of a file, after its header. */
export const MAX_IMPORT_ROWS = 200_000;
/** Bytes of a file, compressed or not. */
export const MAX_IMPORT_BYTES = 100 * 1024 * 1024;
/** Total unpacked size of a workbook's members (bytes). */
export const MAX_WORKBOOK_BYTES = 256 * 1024 * 1024;
/** Cells of a sheet in memory; they take two thirds of the reader's limit. */
export const MAX_WORKBOOK_CELLS = 2_500_000;
export const MAX_IMPORT_COLUMNS = 300;
export const MAX_IMPORT_FILES = 10;
/** Characters of one text record: more means an unclosed quote. */
export const MAX_RECORD_CHARS = 1024 * 1024;
/** Bytes per upload request; larger files are sent in parts, each with its offset. */
export const UPLOAD_PART_BYTES = 4 * 1024 * 1024;
export const PREVIEW_ROWS = 20;
/** Column added to the download of rows not applied; ignored when that file is uploaded. */
export const REASON_TITLE = "Not applied because";
/** Start of an unreadable row's reason: it stays unread until a person empties that cell. */
export const UNREADABLE_MARK = "Unreadable row: ";

const SCOPES = ["computer", "location", "client"] as const;
export type FieldScope = (typeof SCOPES)[number];

/** A field declared by the source product, beyond its values. */
const declaredField = z.strictObject({
  type: z.enum(FIELD_TYPES).nullable(),
  options: z.array(z.string()).nullable(),
  secret: z.boolean(),
  scope: z.enum(SCOPES),
  section: z.string().nullable(),
});
export type DeclaredField = z.output<typeof declaredField>;

/** Evidence that a column is secret: declared by the product, masked values, or its title. */
const secretSign = z.enum(["declared", "masked", "title"]);
export type SecretSign = z.output<typeof secretSign>;

/** Number of a column's values that do not fit a type, and the first ones with their lines. */
const misfit = z.strictObject({
  count: z.int(),
  odd: z.array(z.strictObject({ text: z.string(), line: z.int() })),
});
export type Misfit = z.output<typeof misfit>;

/** Types tested on a column's values; dates once per order. */
export const READINGS = ["text", "number", "boolean", ...DATE_ORDERS] as const;
export type Reading = (typeof READINGS)[number];

/** A column of the staged rows with its profile. */
const sourceColumn = z.strictObject({
  index: z.int(),
  title: z.string(),
  declared: declaredField.nullable(),
  secret: secretSign.nullable(),
  rows: z.int(),
  filled: z.int(),
  samples: z.array(z.string()),
  misfits: z.record(z.enum(READINGS), misfit),
  /**
   * Numbers in the column have decimal commas and no decimal points: 1.234 is one thousand two hundred and thirty-four.
   */
  decimalComma: z.boolean(),
  guess: z
    .strictObject({
      type: z.enum(FIELD_TYPES),
      options: z.array(z.string()).nullable(),
      dateOrder: z.enum(DATE_ORDERS),
      dateOrderUnsure: z.boolean(),
    })
    .nullable(),
});
export type SourceColumn = z.output<typeof sourceColumn>;

/** Only computer-scope fields are imported; others are listed only. */
export const isImportable = (field: SourceColumn): boolean => (field.declared?.scope ?? "computer") === "computer";

/** Type of a column: declared, else suggested by its values; null if unknown. */
export const sourceType = (field: SourceColumn): FieldType | null => field.declared?.type ?? field.guess?.type ?? null;

/**
 * Values of a column that do not fit a type, counted during reading; null for a dropdown, whose choices were not known
 * then.
 */
export function misfitOf(
  column: SourceColumn,
  { type, dateOrder }: { type: FieldType; dateOrder: DateOrder },
): Misfit | null {
  if (type === "dropdown") return null;
  return column.misfits[type === "date" ? dateOrder : type];
}

/** Undecided values allowed in a dropdown column. */
export const MAX_CHOICE_DECISIONS = 500;
/** Characters of a value for a single decision. */
export const MAX_DECIDED_TEXT = 1_000;

const text = z.string().min(1).max(MAX_DECIDED_TEXT);

/** Decision about a value that is not a dropdown's choice; text is the exact text in the file. */
const choiceDecision = z.discriminatedUnion("action", [
  z.strictObject({ text, action: z.literal("map"), to: z.string().min(1).max(MAX_CHOICE) }),
  z.strictObject({ text, action: z.literal("add") }),
  z.strictObject({ text, action: z.literal("skip") }),
]);
export type ChoiceDecision = z.output<typeof choiceDecision>;

const choiceDecisions = z
  .array(choiceDecision)
  .max(MAX_CHOICE_DECISIONS, `has more than ${MAX_CHOICE_DECISIONS} entries`)
  .refine((list) => new Set(list.map((one) => one.text)).size === list.length, "decides about a value twice");

/** A planned dropdown: its choices, and decisions on other values. */
type PlannedDropdown = { type: FieldType; options: readonly string[] | null; decisions?: readonly ChoiceDecision[] };

/** Values to be added as choices. */
export const addedChoices = ({ type, options, decisions = [] }: PlannedDropdown): string[] =>
  type === "dropdown"
    ? decisions.flatMap(({ action, text }) => (action === "add" && !options?.includes(text) ? [text] : []))
    : [];

/** Choices of a field after the run; null for a field without choices. */
export const plannedChoices = (field: PlannedDropdown): string[] | null =>
  field.type === "dropdown" ? [...(field.options ?? []), ...addedChoices(field)] : (field.options?.slice() ?? null);

/** Choice by value; null to leave the value out. */
export const decidedTexts = ({ type, decisions = [] }: PlannedDropdown): ReadonlyMap<string, string | null> =>
  new Map(
    type === "dropdown"
      ? decisions.flatMap((one): [string, string | null][] =>
          one.action === "add" ? [] : [[one.text, one.action === "map" ? one.to : null]],
        )
      : [],
  );

/** Column number of the file, from 0. */
export const columnNo = z.int().min(0).max(MAX_IMPORT_COLUMNS);

const plannedField = z.strictObject({
  column: columnNo,
  /** create: a new definition with this id. existing: into that one. */
  action: z.enum(["create", "existing"]),
  fieldId: guid.nullable(),
  name: nameText(MAX_FIELD_NAME),
  fieldKey: anyFieldKey,
  type: z.enum(FIELD_TYPES),
  options: fieldOptions.nullable(),
  secret: z.boolean(),
  dateOrder: z.enum(DATE_ORDERS),
  /** A person accepted that invalid values are reported and the others imported; never a default. */
  typeConflictAccepted: z.boolean(),
  /** Decisions on values that are not choices of a dropdown. */
  decisions: choiceDecisions.default([]),
  overwrite: z.boolean(),
  clearBlank: z.boolean(),
});
/** Left out with the file's choices, even if there are more than a field takes: nothing to correct. */
const skippedField = plannedField.extend({ action: z.literal("skip"), options: z.array(z.string()).nullable() });

/** Plan for one source field. */
const planField = z.discriminatedUnion("action", [plannedField, skippedField]);
export type PlanField = z.output<typeof planField>;

/** Roles of a source column in matching rows to devices. */
export const IDENTIFIER_LABELS = {
  sourceId: "Source device ID",
  hostname: "Hostname",
  organization: "Organization",
  serial: "Serial number",
};
export const IDENTIFIERS = keysOf(IDENTIFIER_LABELS);
export type Identifier = (typeof IDENTIFIERS)[number];

const planIdentifiers = z.strictObject(fromKeys(IDENTIFIERS, () => columnNo.nullable()));
export type PlanIdentifiers = z.output<typeof planIdentifiers>;
export const NO_IDENTIFIERS: PlanIdentifiers = fromKeys(IDENTIFIERS, () => null);

export const plan = z
  .strictObject({ identifiers: planIdentifiers, fields: z.array(planField).max(MAX_IMPORT_COLUMNS) })
  .overwrite(repairJson);
export type Plan = z.output<typeof plan>;
export type ActivePlanField = PlanField & { action: "create" | "existing"; fieldId: string };

/** Imported fields: without faults, each has its definition's id. */
export const activeFields = (plan: Plan): ActivePlanField[] =>
  plan.fields.filter((field): field is ActivePlanField => field.action !== "skip" && field.fieldId !== null);

/**
 * Values of a dropdown column that are not choices: undecided ones counted, the most frequent listed, together with
 * decided ones.
 */
export type UnknownChoices = {
  column: number;
  count: number;
  different: number;
  values: { text: string; uses: number; line: number }[];
};
export type PlanFaults = { faults: { path: string; message: string }[]; unknown: UnknownChoices[] };

/** True if a column's values must be hidden: it, or its target field, is secret. */
export const isHidden = (column: SourceColumn, field: Pick<PlanField, "secret"> | undefined): boolean =>
  column.secret === "declared" || column.secret === "masked" || (field?.secret ?? column.secret !== null);
