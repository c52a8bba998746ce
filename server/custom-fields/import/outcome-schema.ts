import type { FieldValue } from "@/server/custom-fields/schema";
import { keysOf } from "@/server/ground/records";

/** A device that a row may mean, with distinguishing facts (times as ISO). */
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
 * A value of the file and the device's value before this import (null: none, or no device). value: what the field would
 * store; null if invalid.
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
/** Another row, and its place: "line 14", "sheet Computers, line 14". */
export type RowReference = { rowNo: number; sourceId: string | null; place: string };

/** A row of the check's table; cells in the order of the plan's fields. */
export type ImportRow = {
  rowNo: number;
  file: string;
  line: number;
  /** Its place in words. */
  place: string;
  outcome: RowOutcome;
  reason: string | null;
  sourceId: string | null;
  hostname: string | null;
  device: Candidate | null;
  candidates: Candidate[];
  pickedDeviceId: string | null;
  /** Whether the run applied it; null before the run. */
  applied: boolean | null;
  /** Other rows about the same devices, if they prevent applying this one. */
  related: RowReference[];
  cells: ImportCell[];
};

/** Results of the check (or the run: changed) for a row. */
export const ROW_OUTCOME_LABELS = {
  matched_source_id: "Matched by source ID",
  matched_hostname: "Matched by hostname",
  ambiguous: "Ambiguous",
  identity_conflict: "Identity conflict",
  not_found: "Not found",
  unreadable: "Unreadable row",
  changed: "Changed since the check",
};
export const ROW_OUTCOMES = keysOf(ROW_OUTCOME_LABELS);
export type RowOutcome = (typeof ROW_OUTCOMES)[number];
export const MATCHED_OUTCOMES: readonly RowOutcome[] = ["matched_source_id", "matched_hostname"];

/** One-letter codes of values in a result. Only this table and the functions below know the letters. */
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
export const VALUE_OUTCOMES = keysOf(VALUE_CODES);
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
export const WRITE_CODES = WRITES.join("");
/** True if any of the codes changes a device. */
export const hasWrite = (codes: string): boolean => WRITES.some((code) => codes.includes(code));

const NEEDS_DEVICE: ReadonlySet<string> = new Set([...WRITES, VALUE_CODES.same, VALUE_CODES.kept]);
/** Codes of a row without its device: only verdicts on the cells remain. */
export const withoutDevice = (codes: string): string =>
  Array.from(codes, (code) => (NEEDS_DEVICE.has(code) ? VALUE_CODES.none : code)).join("");

type RowCounts = Record<RowOutcome, number>;
export type FieldCounts = { fieldId: string } & Record<ValueOutcome, number>;
/** Counts of a check or run. */
export type Tally = { rows: RowCounts; fields: FieldCounts[] };
export type CheckReport = Tally & {
  /** Devices with new values, recorded source IDs, and ambiguous rows with a picked device. */
  writes: { devices: number; sourceIds: number; picked: number };
};
/** readBack: written values that the devices hold afterwards. */
export type RunReport = Tally & {
  devices: number;
  recordedSourceIds: number;
  readBack: { fieldId: string; written: number; found: number }[] | null;
  /** Ambiguous rows applied to a picked device. */
  picked: number;
};
