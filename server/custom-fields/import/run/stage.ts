import { tenant } from "@/db/client";
import { readFiles } from "@/server/custom-fields/import/reader/read-files";
import type { Staged } from "@/server/custom-fields/import/reader/stage-rows";
import type { ImportRecord, PartnerScope } from "@/server/custom-fields/import/record";
import { clearEdits } from "./tables/edits";
import { clearResults } from "./tables/results";
import { clearStaged, insertStaged } from "./tables/staged";

/**
 * Reads all files of an import into its staging table, in one transaction, so that a kill leaves nothing half read.
 * `onRows` receives how many rows have been read, and may throw to stop.
 * @throws AppError what reading throws; payload_too_large for too many rows or columns in all files together.
 */
export function stageFiles(
  found: ImportRecord,
  scope: PartnerScope,
  onRows: (rows: number) => Promise<void>,
): Promise<Staged> {
  const files = found.files.map(({ name, path, format }) => ({ name, path, format }));
  return tenant(scope, async (tx) => {
    await clearStaged(tx, found.id);
    await clearResults(tx, found.id);
    await clearEdits(tx, found.id);
    return readFiles({ kind: "stage", source: found.source, files }, async ({ json, through }) => {
      await insertStaged(tx, found, json);
      await onRows(through);
    });
  });
}
