import { z } from "zod";
import { MAX_TEXT_VALUE } from "@/server/custom-fields/schema";
import { repairJson, repairText } from "@/server/ground/text";
import { displayName, guid, idInput, instant, type Pagination, pageShape } from "@/server/ground/wire";
import { type CheckReport, ROW_OUTCOMES, type RunReport, VALUE_OUTCOMES } from "./outcome-schema";
import type { SourceColumn } from "./plan-schema";
import { columnNo, MAX_IMPORT_BYTES, MAX_IMPORT_FILES, MAX_IMPORT_ROWS, type Plan, plan } from "./plan-schema";
import { type FileFormat, formatChange } from "./read/file-schema";

const IMPORT_STATUSES = ["draft", "staged", "checked", "running", "done", "cancelled", "undone"] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];
const JOBS = ["stage", "check", "apply", "undo"] as const;
export type Job = (typeof JOBS)[number];

export type UndoReport = { restored: number; leftAlone: number; sourceIdsRemoved: number };
/** Changed devices, and changed values by field id, of each organization. */
export type ChangedByOrg = Record<string, { devices: number; values: Record<string, number> }>;
export type ImportSummary = {
  actor?: { id: string; name: string };
  /** A person's changes to values of the file, last one at the end; each can be undone. */
  edits?: { column: number; rows: number }[];
  /** Last use of the saved mapping that this import started with (ISO). */
  mappingFrom?: string;
  /** True if the files caused `error`, so that retrying is useless. */
  isRefused?: boolean;
  check?: CheckReport & { checkedAt: string };
  run?: RunReport;
  undo?: UndoReport;
  /** Values restored by the current undo, for its audit entries. Not shown. */
  restoring?: ChangedByOrg;
};

export type ImportFile = {
  name: string;
  size: number;
  complete: boolean;
  format: FileFormat | null;
  records: number | null;
  /** Notes for a person about the reading. */
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
  /** Changes with every modification by any person. */
  revision: string;
};

export type ImportEntry = Pick<
  ImportState,
  "id" | "source" | "status" | "createdByName" | "createdAt" | "totalRows"
> & {
  fileNames: string[];
  /** Deletion time of an import that has not run (ISO); null if it is kept. */
  expiresAt: string | null;
};
export type ImportPage = { data: ImportEntry[]; pagination: Pagination };
/** Days that an unused import and its files are kept after the last change. */
export const DRAFT_DAYS = 7;
export const importListInput = z.object(pageShape(20, 100));

const ROWS_PAGE_LIMIT = 200;

export const sourceInput = z.strictObject({ source: z.string().min(1).max(50) });
export const fileInput = z.strictObject({
  id: guid,
  fileNo: z
    .int()
    .min(0)
    .max(MAX_IMPORT_FILES - 1),
});
export const formatInput = fileInput.extend({ format: formatChange.overwrite(repairJson) });
/** Revision that the person saw, so that later changes are not overwritten unseen. */
const revision = z.string().max(40).optional();
export const planInput = z.strictObject({ id: guid, plan, revision });
/** Not strict: the client's endless query also sends its direction. */
export const rowsInput = z.object({
  id: guid,
  outcome: z.enum(ROW_OUTCOMES).optional(),
  value: z.enum(VALUE_OUTCOMES).optional(),
  /** Text contained in an identifier or value of the row, in any case. */
  search: z.string().overwrite(repairText).trim().max(200).optional(),
  cursor: z.int().min(0).max(MAX_IMPORT_ROWS).nullish(),
  limit: z.int().min(1).max(ROWS_PAGE_LIMIT).default(100),
});
const cellText = z.string().max(MAX_TEXT_VALUE).overwrite(repairText);
const rowNo = z.int().min(1).max(MAX_IMPORT_ROWS);
/** One cell, or every cell of a column that equals or contains a text. */
export const editInput = z.strictObject({
  id: guid,
  edit: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("cell"), rowNo, column: columnNo, value: cellText }),
    z.strictObject({
      kind: z.literal("replace"),
      column: columnNo,
      find: cellText,
      replace: cellText,
      match: z.enum(["cell", "part"]),
    }),
  ]),
});
export type Edit = z.output<typeof editInput>["edit"];
export const runInput = z.strictObject({ id: guid, revision });
/** jobStartedAt: start of the job that the person saw, so that a newer job is not cancelled. */
export const cancelInput = idInput.extend({ jobStartedAt: instant.optional() });
export const pickInput = z.strictObject({ id: guid, rowNo, deviceId: guid.nullable() });

/** Query of the upload: the file's number, and the byte at which this part starts. */
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
