import { z } from "zod";
import { FIELD_TYPES, fieldKey, fieldOptions, MAX_FIELD_NAME } from "../schema";

/** Rows of a file, after its header. */
export const MAX_IMPORT_ROWS = 200_000;
/** Bytes of a file, compressed or not. */
export const MAX_IMPORT_BYTES = 100 * 1024 * 1024;
/** All members of a workbook together, unpacked (bytes). */
export const MAX_WORKBOOK_BYTES = 500 * 1024 * 1024;
export const MAX_IMPORT_COLUMNS = 300;
export const MAX_IMPORT_FILES = 10;
/** Characters of one record of a text file: more is an unclosed quote. */
export const MAX_RECORD_CHARS = 1024 * 1024;
/** Bytes of one request of an upload; a larger file goes in several, each at its offset. */
export const UPLOAD_PART_BYTES = 8 * 1024 * 1024;
export const PREVIEW_ROWS = 20;
export const ROWS_PAGE_LIMIT = 200;

export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;
export type Encoding = (typeof ENCODINGS)[number];
export const DELIMITERS = [",", ";", "\t", "|"] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** wide: a row per computer. long: a row per computer, field and value. fields: definitions alone. */
export const SHAPES = ["wide", "long", "fields", "rest"] as const;
export type Shape = (typeof SHAPES)[number];

/** How a file is read: found out at first, then what a person made of it. headerRow counts records from 1. */
export const fileFormat = z.strictObject({
  kind: z.enum(["text", "workbook", "json"]),
  gzip: z.boolean(),
  encoding: z.enum(ENCODINGS),
  delimiter: z.enum(DELIMITERS),
  headerRow: z.int().min(1).max(100),
  shape: z.enum(SHAPES),
});
export type FileFormat = z.output<typeof fileFormat>;

/** What may be changed of a format. */
export const formatChange = fileFormat
  .pick({ encoding: true, delimiter: true, headerRow: true, shape: true })
  .partial();
export type FormatChange = z.output<typeof formatChange>;

export const DATE_ORDERS = ["ymd", "mdy", "dmy"] as const;
export const SCOPES = ["computer", "location", "client"] as const;
export type FieldScope = (typeof SCOPES)[number];

/** A field as the source product declares it, beyond what its values show. */
export const declaredField = z.strictObject({
  type: z.enum(FIELD_TYPES).nullable(),
  options: z.array(z.string()).nullable(),
  secret: z.boolean(),
  scope: z.enum(SCOPES),
  section: z.string().nullable(),
});
export type DeclaredField = z.output<typeof declaredField>;

/** One column of the staged rows with what was seen in it. */
export const sourceColumn = z.strictObject({
  index: z.int(),
  title: z.string(),
  declared: declaredField.nullable(),
  rows: z.int(),
  filled: z.int(),
  samples: z.array(z.string()),
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

const column = z.int().min(0).max(MAX_IMPORT_COLUMNS);

/** One source field's fate. */
export const planField = z.strictObject({
  column,
  /** create: a new definition with the id given here. existing: into that one. skip: left out. */
  action: z.enum(["create", "existing", "skip"]),
  fieldId: z.guid().nullable(),
  name: z.string().trim().min(1).max(MAX_FIELD_NAME),
  fieldKey,
  type: z.enum(FIELD_TYPES),
  options: fieldOptions.nullable(),
  secret: z.boolean(),
  dateOrder: z.enum(DATE_ORDERS),
  /** Values that do not look like the existing definition's type are held to it: said by a person, never assumed. */
  typeConflictAccepted: z.boolean(),
  overwrite: z.boolean(),
  clearBlank: z.boolean(),
});
export type PlanField = z.output<typeof planField>;

export const planIdentifiers = z.strictObject({
  sourceId: column.nullable(),
  hostname: column.nullable(),
  organization: column.nullable(),
  serial: column.nullable(),
});
export type PlanIdentifiers = z.output<typeof planIdentifiers>;

export const plan = z.strictObject({
  identifiers: planIdentifiers,
  fields: z.array(planField).max(MAX_IMPORT_COLUMNS),
});
export type Plan = z.output<typeof plan>;
