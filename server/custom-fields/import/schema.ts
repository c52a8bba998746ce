import { z } from "zod";
import {
  DATE_ORDERS,
  FIELD_TYPES,
  type FieldValue,
  fieldKey,
  fieldOptions,
  MAX_FIELD_NAME,
  MAX_TEXT_VALUE,
} from "@/server/custom-fields/schema";
import { repairJson, repairText } from "@/server/text";
import { displayName, guid, nameText, type Pagination, pageShape } from "@/server/wire";
import { choiceDecisions } from "./map/choice-schema";
import type { SourceColumn } from "./map/column-schema";
import { type FileFormat, formatChange } from "./read/file-schema";

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
export const UPLOAD_PART_BYTES = 4 * 1024 * 1024;
export const PREVIEW_ROWS = 20;
/** The column that the download of rows not applied adds. It is no field when that file comes back. */
export const REASON_TITLE = "Not applied because";
/** Begins the reason of a row that could not be read: it stays unread until a person has emptied that cell. */
export const UNREADABLE_MARK = "Unreadable row: ";
const ROWS_PAGE_LIMIT = 200;

const column = z.int().min(0).max(MAX_IMPORT_COLUMNS);

/** One source field's fate. */
const planField = z.strictObject({
  column,
  /** create: a new definition with the id given here. existing: into that one. skip: left out. */
  action: z.enum(["create", "existing", "skip"]),
  fieldId: guid.nullable(),
  name: nameText(MAX_FIELD_NAME),
  fieldKey,
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
export type PlanField = z.output<typeof planField>;

const planIdentifiers = z.strictObject({
  sourceId: column.nullable(),
  hostname: column.nullable(),
  organization: column.nullable(),
  serial: column.nullable(),
});
export type PlanIdentifiers = z.output<typeof planIdentifiers>;

const plan = z
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

const IMPORT_STATUSES = ["draft", "staged", "checked", "running", "done", "cancelled", "undone"] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];
const JOBS = ["stage", "check", "apply", "undo"] as const;
export type Job = (typeof JOBS)[number];

/** What the check (or the run: changed) finds for a row. */
export const ROW_OUTCOMES = [
  "matched_source_id",
  "matched_hostname",
  "ambiguous",
  "identity_conflict",
  "not_found",
  "unreadable",
  "changed",
] as const;
export type RowOutcome = (typeof ROW_OUTCOMES)[number];
export const MATCHED_OUTCOMES: readonly RowOutcome[] = ["matched_source_id", "matched_hostname"];
export const ROW_OUTCOME_LABELS: Record<RowOutcome, string> = {
  matched_source_id: "Matched by source ID",
  matched_hostname: "Matched by hostname",
  ambiguous: "Ambiguous",
  identity_conflict: "Identity conflict",
  not_found: "Not found",
  unreadable: "Unreadable row",
  changed: "Changed since the check",
};

/** One letter for each value in a result's codes. Nothing but this table and the functions below it knows the letters. */
export const VALUE_CODES = {
  set: "s",
  overwrite: "o",
  clear: "c",
  same: "=",
  kept: "k",
  invalid: "!",
  left_out: "x",
  empty: ".",
  none: "-",
} as const;
export type ValueOutcome = keyof typeof VALUE_CODES;
export type ValueCode = (typeof VALUE_CODES)[ValueOutcome];
export const VALUE_OUTCOMES = Object.keys(VALUE_CODES) as [ValueOutcome, ...ValueOutcome[]];
export const VALUE_OUTCOME_LABELS: Record<ValueOutcome, string> = {
  set: "Set",
  overwrite: "Overwrite",
  clear: "Clear",
  same: "Same",
  kept: "Already set",
  invalid: "Invalid",
  left_out: "Left out",
  empty: "Empty",
  none: "No device",
};
export const outcomeOfCode = (code: string): ValueOutcome =>
  VALUE_OUTCOMES.find((outcome) => VALUE_CODES[outcome] === code) ?? "none";

const WRITES: readonly string[] = [VALUE_CODES.set, VALUE_CODES.overwrite, VALUE_CODES.clear];
/** The codes that change what a device holds. */
export const WRITE_CODES = WRITES.join("");
/** True when any of the codes changes what a device holds. */
export const hasWrite = (codes: string): boolean => WRITES.some((code) => codes.includes(code));

const NEEDS_DEVICE: ReadonlySet<string> = new Set([...WRITES, VALUE_CODES.same, VALUE_CODES.kept]);
/** The codes of a row that has lost its device: what remains is said of the cells alone. */
export const withoutDevice = (codes: string): string =>
  Array.from(codes, (code) => (NEEDS_DEVICE.has(code) ? VALUE_CODES.none : code)).join("");

type RowCounts = Record<RowOutcome, number>;
export type FieldCounts = { fieldId: string } & Record<ValueOutcome, number>;
/** What a check or a run counted. readBack: of the written values, how many the devices hold afterwards. */
export type Tally = {
  rows: RowCounts;
  fields: FieldCounts[];
  /** Devices that receive a value, source IDs that are recorded, and ambiguous rows that a person picked a device for. */
  writes?: { devices: number; sourceIds: number; picked?: number };
};
export type RunReport = Tally & {
  devices: number;
  recordedSourceIds: number;
  readBack: { fieldId: string; written: number; found: number }[] | null;
  /** Of the ambiguous rows, those applied to the device that a person picked; missing in older reports. */
  picked?: number;
};
export type UndoReport = { restored: number; leftAlone: number; sourceIdsRemoved: number };
export type ImportSummary = {
  actor?: { id: string; name: string };
  /** The changes that a person made to values of the file, the last one at the end: each can be undone. */
  edits?: { column: number; rows: number }[];
  /** When the kept mapping that this import began with was used last (ISO). */
  mappingFrom?: string;
  /** Whether the files are at fault for `error`: no second try reads them as they are. */
  isRefused?: boolean;
  check?: Tally & { checkedAt: string };
  run?: RunReport;
  undo?: UndoReport;
};

export type ImportFile = {
  name: string;
  size: number;
  complete: boolean;
  format: FileFormat | null;
  records: number | null;
  /** What a person should know of how it was read. */
  notes?: string[];
};

/** An import as the wizard sees it. */
export type ImportState = {
  id: string;
  source: string;
  status: ImportStatus;
  createdByName: string;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  undoneAt: string | null;
  files: ImportFile[];
  columns: SourceColumn[];
  plan: Plan | null;
  summary: ImportSummary;
  totalRows: number;
  job: { name: Job; done: number; total: number; startedAt: string; cancelRequested: boolean } | null;
  error: string | null;
  /** Another one after each change, by any person. */
  revision: string;
};

/** An import in the list of imports. */
export type ImportEntry = Pick<
  ImportState,
  "id" | "source" | "status" | "createdByName" | "createdAt" | "totalRows"
> & {
  fileNames: string[];
  /** When an import that has not been run is deleted unless it is continued (ISO); null for one that is kept. */
  expiresAt: string | null;
};
export type ImportPage = { data: ImportEntry[]; pagination: Pagination };
/** Days for which an import that is never run, and its files, are kept after the last change. */
export const DRAFT_DAYS = 7;
export const importListInput = z.object(pageShape(20, 100));

/** A device that a row may be about, with what distinguishes it from others of its name (times as ISO). */
export type Candidate = {
  deviceId: string;
  hostname: string;
  organization: string;
  os: string;
  serial: string | null;
  address: string | null;
  lastSeenAt: string | null;
  enrolledAt: string;
};
/**
 * A value of the file beside what the device holds (null: nothing, or there is no device), before this import wrote to it.
 * value: how the field holds the file's text; null where it holds nothing of it.
 */
type ImportCell = {
  fieldId: string;
  column: number;
  text: string;
  held: FieldValue | null;
  value: FieldValue | null;
  outcome: ValueOutcome;
  reason: string | null;
  isSecret: boolean;
};
/** Another row, and where it is: "line 14", "sheet Computers, line 14". */
export type RowReference = { rowNo: number; sourceId: string | null; place: string };

/** One row of the check's table; cells in the order of the plan's fields. */
export type ImportRow = {
  rowNo: number;
  file: string;
  line: number;
  /** Where it is, in words. */
  place: string;
  outcome: RowOutcome;
  reason: string | null;
  sourceId: string | null;
  hostname: string | null;
  device: Candidate | null;
  candidates: Candidate[];
  pickedDeviceId: string | null;
  /** Other rows of the file that are about the same devices, where that is why this one is not applied. */
  related: RowReference[];
  cells: ImportCell[];
};

export const sourceInput = z.strictObject({ source: z.string().min(1).max(50) });
export const fileInput = z.strictObject({
  id: guid,
  fileNo: z
    .int()
    .min(0)
    .max(MAX_IMPORT_FILES - 1),
});
export const formatInput = fileInput.extend({ format: formatChange.overwrite(repairJson) });
/** Of the import that the person has seen: what has been changed since, by whomever, is not overwritten unseen. */
const revision = z.string().max(40).optional();
export const planInput = z.strictObject({ id: guid, plan, revision });
/** Not strict: the client's endless query says its direction too. */
export const rowsInput = z.object({
  id: guid,
  outcome: z.enum(ROW_OUTCOMES).optional(),
  value: z.enum(VALUE_OUTCOMES).optional(),
  /** Words that an identifier or a value of the row contains, in any case. */
  search: z.string().overwrite(repairText).trim().max(200).optional(),
  cursor: z.int().min(0).max(MAX_IMPORT_ROWS).nullish(),
  limit: z.int().min(1).max(ROWS_PAGE_LIMIT).default(100),
});
const cellText = z.string().max(MAX_TEXT_VALUE).overwrite(repairText);
const rowNo = z.int().min(1).max(MAX_IMPORT_ROWS);
/** One cell of one row, or every cell of a column that is, or contains, a text. */
export const editInput = z.strictObject({
  id: guid,
  edit: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("cell"), rowNo, column, value: cellText }),
    z.strictObject({
      kind: z.literal("replace"),
      column,
      find: cellText,
      replace: cellText,
      match: z.enum(["cell", "part"]),
    }),
  ]),
});
export type Edit = z.output<typeof editInput>["edit"];
export const runInput = z.strictObject({ id: guid, revision });
export const pickInput = z.strictObject({ id: guid, rowNo, deviceId: guid.nullable() });

/** Query of the upload: which file of the import this is, and at which byte this part starts. */
export const uploadInput = z.object({
  importId: guid,
  fileNo: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_IMPORT_FILES - 1),
  name: displayName,
  offset: z.coerce.number().int().min(0).max(MAX_IMPORT_BYTES),
  size: z.coerce.number().int().min(1, "the file is empty"),
});
export type UploadInput = z.output<typeof uploadInput>;
export const uploadOutput = z.strictObject({ received: z.int(), complete: z.boolean() });
