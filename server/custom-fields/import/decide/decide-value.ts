import { type Coerced, coerceText, type FieldRule } from "@/server/custom-fields/coerce";
import { hasWrite, VALUE_CODES, type ValueCode, type ValueOutcome } from "@/server/custom-fields/import/outcome-schema";
import type { SourceCell } from "@/server/custom-fields/import/read/read-delimited";
import type { DateOrder, FieldValue } from "@/server/custom-fields/schema";
import type { DeviceFacts } from "./resolve-row";

/** Parsed cell; left_out: a person chose not to import the value. */
type Read = Coerced | "left_out";

/** A mapped field with everything that decides about its values. */
export type ActiveField = {
  column: number;
  fieldId: string;
  name: string;
  rule: FieldRule;
  required: boolean;
  secret: boolean;
  dateOrder: DateOrder;
  decimalComma: boolean;
  overwrite: boolean;
  clearBlank: boolean;
  /** True for devices whose system the field is for, unless their organization's own field has its key. */
  applies: (device: DeviceFacts) => boolean;
  /** Reason that the field does not apply to a device. */
  notApplicable: string;
  /** Decisions on values that are not a dropdown's choices: the choice, or null to leave it out. */
  decided: ReadonlyMap<string, string | null>;
  /** Cache of parsed values: most columns repeat them. */
  cache: Map<string, Read>;
};

export type Decision = { code: ValueCode; value: FieldValue | null; reason: string | null };
/** Per field: repeated values are few, and a file has hundreds of fields. */
const CACHED_VALUES = 1_000;

/** Valid values need no decision; decisions are for invalid ones. */
function readAnew({ rule, dateOrder, decimalComma, decided }: ActiveField, text: string): Read {
  const own = coerceText(rule, text, { dateOrder, decimalComma });
  const choice = own.ok ? undefined : decided.get(text);
  if (choice === null) return "left_out";
  return choice === undefined ? own : coerceText(rule, choice);
}

function read(field: ActiveField, text: string): Read {
  const known = field.cache.get(text);
  if (known) return known;
  const result = readAnew(field, text);
  if (field.cache.size >= CACHED_VALUES) field.cache.clear();
  field.cache.set(text, result);
  return result;
}

const decided = (code: ValueCode, value: FieldValue | null = null, reason: string | null = null): Decision => ({
  code,
  value,
  reason,
});

const NOT_CLEARED = "is required and cannot be cleared";

/**
 * Decides about one cell: a blank may clear, a missing value never does. Without a `device` (null) only the cell is
 * judged; `held` is the device's current value.
 */
export function decideValue(
  field: ActiveField,
  { text, device, held }: { text: SourceCell; device: DeviceFacts | null; held: FieldValue | null },
): Decision {
  if (text === null) return decided(VALUE_CODES.empty);
  if (text === "") {
    if (!device || !field.clearBlank || held === null) return decided(VALUE_CODES.empty);
    return field.required ? decided(VALUE_CODES.invalid, null, NOT_CLEARED) : decided(VALUE_CODES.clear);
  }
  const typed = read(field, text);
  if (typed === "left_out") return decided(VALUE_CODES.left_out);
  if (!typed.ok) return decided(VALUE_CODES.invalid, null, typed.reason);
  if (!device) return decided(VALUE_CODES.none, typed.value);
  if (!field.applies(device)) return decided(VALUE_CODES.invalid, null, field.notApplicable);
  if (held === null) return decided(VALUE_CODES.set, typed.value);
  if (held === typed.value) return decided(VALUE_CODES.same, typed.value);
  return decided(field.overwrite ? VALUE_CODES.overwrite : VALUE_CODES.kept, typed.value);
}

/** Outcomes of a valid value. */
const FITTING: ReadonlySet<ValueOutcome> = new Set(["set", "overwrite", "same", "kept"]);

/** A cell's value for the field, from its text and outcome; null if invalid. */
export function fittingValue(field: ActiveField, text: string, outcome: ValueOutcome): FieldValue | null {
  const typed = text !== "" && FITTING.has(outcome) ? read(field, text) : null;
  return typed && typed !== "left_out" && typed.ok ? typed.value : null;
}

/** Reason that a cell is invalid, derived from its text: a result stores one letter per value. */
export function invalidReason(field: ActiveField, text: string): string {
  if (text === "") return NOT_CLEARED;
  const typed = read(field, text);
  return typed === "left_out" || typed.ok ? field.notApplicable : typed.reason;
}

/** True if the decision changes the device. */
export const isWrite = ({ code }: Decision): boolean => hasWrite(code);
