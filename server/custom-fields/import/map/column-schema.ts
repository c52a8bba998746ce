import { z } from "zod";
import { DATE_ORDERS, type DateOrder, FIELD_TYPES, type FieldType } from "@/server/custom-fields/schema";

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
