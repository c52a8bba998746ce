import { operation } from "@/server/ground/operation";
import { noInput, typed } from "@/server/ground/wire";
import { MAX_IMPORT_BYTES, MAX_IMPORT_ROWS } from "./plan-schema";
import { PRESETS } from "./presets";

export type SourceList = { sources: { id: string; label: string; hint: string }[]; maxRows: number; maxBytes: number };

/** The products that can be imported from, and the limits, shown before the upload. */
export const listSources = operation({
  permission: "custom_fields:import",
  input: noInput,
  output: typed<SourceList>(),
  run: async () => ({
    sources: PRESETS.map(({ id, label, hint }) => ({ id, label, hint })),
    maxRows: MAX_IMPORT_ROWS,
    maxBytes: MAX_IMPORT_BYTES,
  }),
});
