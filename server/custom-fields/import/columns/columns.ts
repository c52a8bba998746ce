import type { SQL } from "drizzle-orm";
import { MATCHED_OUTCOMES } from "@/server/custom-fields/import/outcome-schema";
import type { ImportRecord } from "@/server/custom-fields/import/record/record";
import type { HeldBefore } from "@/server/custom-fields/import/run/held-before";
import type { RowsAbout } from "@/server/custom-fields/import/run/related-rows";
import type { ResultRow } from "@/server/custom-fields/import/run/tables/results";
import type { Cell } from "@/server/ground/csv";
import type { DeviceNames } from "./name-devices";

/** True for a row that the run has applied. */
export const isApplied = (row: ResultRow, found: ImportRecord): boolean =>
  row.rowNo <= found.appliedThrough &&
  (MATCHED_OUTCOMES.includes(row.outcome) || (row.outcome === "ambiguous" && row.pickedDeviceId !== null));

/** What a download of rows consists of. */
export type Columns = {
  header: string[];
  only: SQL;
  /** True where cells are said of the rows' devices, which are then looked up. */
  hasDevices: boolean;
  row: (row: ResultRow, known: Known) => Cell[];
};
/** What was looked up for a page of rows. */
export type Known = { names: DeviceNames; held: HeldBefore; about: RowsAbout };
