import type { Tone } from "@/components/ui/state-tag";
import type { RowOutcome, ValueOutcome } from "@/server/custom-fields/import/outcome-schema";

/** Not found is not an error: inventories often keep retired machines. */
export const ROW_TONE: Record<RowOutcome, Tone> = {
  matched_source_id: "good",
  matched_hostname: "good",
  ambiguous: "warn",
  identity_conflict: "bad",
  not_found: "off",
  unreadable: "bad",
  changed: "warn",
};

/** Most values are fine; only those that need attention are highlighted. */
export const VALUE_TONE: Record<ValueOutcome, Tone | null> = {
  set: "good",
  overwrite: "warn",
  clear: "warn",
  same: null,
  kept: null,
  invalid: "bad",
  left_out: null,
  empty: null,
  none: null,
};
