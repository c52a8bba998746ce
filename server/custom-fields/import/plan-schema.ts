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
import { repairJson } from "@/server/ground/text";
import { guid, nameText } from "@/server/ground/wire";

/** Rows of a file, after its header. */
export const MAX_IMPORT_ROWS = 200_000;
/** Bytes of a file, compressed or not. */
export const MAX_IMPORT_BYTES = 100 * 1024 * 1024;
/** All members of a workbook together, unpacked (bytes). */
export const MAX_WORKBOOK_BYTES = 256 * 1024 * 1024;
/** Cells of a sheet, which are held in memory: they take two thirds of what its reader has. */
export const MAX_WORKBOOK_CELLS = 2_500_000;
export const MAX_IMPORT_COLUMNS = 300;
export const MAX_IMPORT_FILES = 10;
/** Characters of one record of a text file: more is an unclosed quote. */
export const MAX_RECORD_CHARS = 1024 * 1024;
/** Bytes of one request of an upload; a larger file goes in several, each at its offset. */
export const UPLOAD_PART_BYTES = 4 * 1024 * 1024;
export const PREVIEW_ROWS = 20;
/** The column that the download of rows not applied adds. It is no field when that file comes back. */
export const REASON_TITLE = "Not applied because";
/** Begins the reason of a row that could not be read: it stays unread until a person has emptied that cell. */
export const UNREADABLE_MARK = "Unreadable row: ";

const SCOPES = ["computer", "location", "client"] as const;
export type FieldScope = (typeof SCOPES)[number];

/** A field as the source product declares it, beyond what its values show. */
const declaredField = z.strictObject({
  type: z.enum(FIELD_TYPES).nullable(),
  options: z.array(z.string()).nullable(),
  secret: z.boolean(),
  scope: z.enum(SCOPES),
  section: z.string().nullable(),
});
export type DeclaredField = z.output<typeof declaredField>;

/** Why a column is taken for a secret: the product says so, its values are masked, or its title names one. */
const secretSign = z.enum(["declared", "masked", "title"]);
export type SecretSign = z.output<typeof secretSign>;

/** How many values of a column do not fit a type, and the first of them with the lines they are on. */
const misfit = z.strictObject({
  count: z.int(),
  odd: z.array(z.strictObject({ text: z.string(), line: z.int() })),
});
export type Misfit = z.output<typeof misfit>;

/** The readings that a column's values are held to. A date's is one for each order. */
export const READINGS = ["text", "number", "boolean", "mdy", "dmy", "ymd"] as const;
export type Reading = (typeof READINGS)[number];

/** One column of the staged rows with what was seen in it. */
const sourceColumn = z.strictObject({
  index: z.int(),
  title: z.string(),
  declared: declaredField.nullable(),
  secret: secretSign.nullable(),
  rows: z.int(),
  filled: z.int(),
  samples: z.array(z.string()),
  misfits: z.record(z.enum(READINGS), misfit),
  /** Numbers of the column have decimal commas and none a decimal point: 1.234 is one thousand two hundred and thirty-four. */
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

/** Only computer-scope fields are imported; the others are listed and kept out. */
export const isImportable = (field: SourceColumn): boolean => (field.declared?.scope ?? "computer") === "computer";

/** The type of a column: what the product says, else what its values suggest; null when nothing is known. */
export const sourceType = (field: SourceColumn): FieldType | null => field.declared?.type ?? field.guess?.type ?? null;

/**
 * How many of a column's values do not fit a type, counted while the file was read; null for a dropdown, whose choices
 * the reading did not know.
 */
export function misfitOf(
  column: SourceColumn,
  { type, dateOrder }: { type: FieldType; dateOrder: DateOrder },
): Misfit | null {
  if (type === "dropdown") return null;
  return column.misfits[type === "date" ? dateOrder : type];
}

/** Values of one column that may be decided about: beyond them it is no dropdown. */
export const MAX_CHOICE_DECISIONS = 500;
/** Characters of a value that can be decided about one by one. */
export const MAX_DECIDED_TEXT = 1_000;

const text = z.string().min(1).max(MAX_DECIDED_TEXT);

/** What a person decided about a value that is none of a dropdown's choices; text is the file's, to the letter. */
const choiceDecision = z.discriminatedUnion("action", [
  /** Read as that choice. */
  z.strictObject({ text, action: z.literal("map"), to: z.string().min(1).max(MAX_CHOICE) }),
  /** Becomes a choice of the field itself. */
  z.strictObject({ text, action: z.literal("add") }),
  /** Not imported, and not reported as invalid. */
  z.strictObject({ text, action: z.literal("skip") }),
]);
export type ChoiceDecision = z.output<typeof choiceDecision>;

const choiceDecisions = z
  .array(choiceDecision)
  .max(MAX_CHOICE_DECISIONS, `has more than ${MAX_CHOICE_DECISIONS} entries`)
  .refine((list) => new Set(list.map((one) => one.text)).size === list.length, "decides about a value twice");

/** A dropdown as it is planned: its choices, and what was decided about the values that are none of them. */
type PlannedDropdown = { type: FieldType; options: readonly string[] | null; decisions?: readonly ChoiceDecision[] };

/** The values that become choices of the field; they are none yet. */
export const addedChoices = ({ type, options, decisions = [] }: PlannedDropdown): string[] =>
  type === "dropdown"
    ? decisions.flatMap(({ action, text }) => (action === "add" && !options?.includes(text) ? [text] : []))
    : [];

/** The choices of a field once the import has run; null for a field that has none. */
export const plannedChoices = (field: PlannedDropdown): string[] | null =>
  field.type === "dropdown" ? [...(field.options ?? []), ...addedChoices(field)] : (field.options?.slice() ?? null);

/** Value to the choice that it is read as; null for one that is left out. */
export const decidedTexts = ({ type, decisions = [] }: PlannedDropdown): ReadonlyMap<string, string | null> =>
  new Map(
    type === "dropdown"
      ? decisions.flatMap((one): [string, string | null][] =>
          one.action === "add" ? [] : [[one.text, one.action === "map" ? one.to : null]],
        )
      : [],
  );

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
