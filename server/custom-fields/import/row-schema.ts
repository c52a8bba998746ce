import type { FieldValue } from "@/server/custom-fields/schema";
import type { RowOutcome, ValueOutcome } from "./outcome-schema";

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
