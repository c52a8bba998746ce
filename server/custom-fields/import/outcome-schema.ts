import type { FieldValue } from "@/server/custom-fields/schema";

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
  /** Whether the run has applied it; null before the run. */
  applied: boolean | null;
  /** Other rows of the file that are about the same devices, where that is why this one is not applied. */
  related: RowReference[];
  cells: ImportCell[];
};

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
  kept: "Kept: device has another value",
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
