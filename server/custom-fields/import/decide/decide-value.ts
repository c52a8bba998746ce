import { type Coerced, coerceText, type FieldRule } from "@/server/custom-fields/coerce";
import { hasWrite, VALUE_CODES, type ValueCode, type ValueOutcome } from "@/server/custom-fields/import/outcome-schema";
import type { SourceCell } from "@/server/custom-fields/import/read/read-delimited";
import type { DateOrder, FieldValue } from "@/server/custom-fields/schema";
import type { DeviceFacts } from "./resolve-row";

/** How a cell is read; left_out: a person decided that the value is not imported. */
type Read = Coerced | "left_out";

/** A mapped field with everything that decides what happens to its values. */
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
  /** True for devices of the systems that the field is for, unless their organization's own field takes its key. */
  applies: (device: DeviceFacts) => boolean;
  /** Why the field is none of a device's. */
  notApplicable: string;
  /** Values that are none of a dropdown's choices: which one each is read as, null for one that is left out. */
  decided: ReadonlyMap<string, string | null>;
  /** Values read so far: most columns repeat themselves. */
  cache: Map<string, Read>;
};

export type Decision = { code: ValueCode; value: FieldValue | null; reason: string | null };
/** Of each field: what repeats itself is few values, and a file has hundreds of fields. */
const CACHED_VALUES = 1_000;

/** What fits is read as it is; a decision is about a value that does not. */
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
 * What happens to one cell: a blank one may clear, one without a value never does. `device` is null for a row without one
 * (then only the cell itself is judged), `held` is what the device holds now.
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

/** The outcomes of a value that could be in its field. */
const FITTING: ReadonlySet<ValueOutcome> = new Set(["set", "overwrite", "same", "kept"]);

/** A cell as the field would hold it, by its text and outcome; null where it would hold nothing of it. */
export function fittingValue(field: ActiveField, text: string, outcome: ValueOutcome): FieldValue | null {
  const typed = text !== "" && FITTING.has(outcome) ? read(field, text) : null;
  return typed && typed !== "left_out" && typed.ok ? typed.value : null;
}

/** Why a cell was found invalid, by its text alone: a result keeps one letter for each value, not the reason. */
export function invalidReason(field: ActiveField, text: string): string {
  if (text === "") return NOT_CLEARED;
  const typed = read(field, text);
  return typed === "left_out" || typed.ok ? field.notApplicable : typed.reason;
}

/** True when the decision changes what the device holds. */
export const isWrite = ({ code }: Decision): boolean => hasWrite(code);
