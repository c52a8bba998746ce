import type { Tone } from "@/components/ui/state-tag";
import type { RowOutcome, ValueOutcome } from "@/server/custom-fields/import/outcome-schema";

/** Not found is no failure: an inventory keeps machines that were retired long ago. */
export const ROW_TONE: Record<RowOutcome, Tone> = {
  matched_source_id: "good",
  matched_hostname: "good",
  ambiguous: "warn",
  identity_conflict: "bad",
  not_found: "off",
  unreadable: "bad",
  changed: "warn",
};

/** Most values end as expected; only what needs attention is marked. */
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
