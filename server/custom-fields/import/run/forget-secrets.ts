import { tenant } from "@/db/client";
import { rowsAtOnce } from "@/server/custom-fields/import/decide/rounds";
import { leftOutSecrets } from "@/server/custom-fields/import/map/mapping";
import type { ImportRecord, PartnerScope } from "@/server/custom-fields/import/record";
import { forgetEdits } from "./tables/edits";
import { forgetColumns } from "./tables/staged";

/**
 * Empties the columns of secrets that were not chosen for import, some rows at a time: no statement grows with the file.
 * Done again after a kill, it changes nothing more.
 * @returns these columns.
 */
export async function forgetSecrets(found: ImportRecord, scope: PartnerScope): Promise<number[]> {
  const columns = leftOutSecrets(found);
  if (columns.length === 0) return columns;
  const rows = rowsAtOnce(found);
  for (let after = 0; after < found.totalRows; after += rows)
    await tenant(scope, (tx) => forgetColumns(tx, found.id, { columns, after, through: after + rows }));
  await tenant(scope, (tx) => forgetEdits(tx, found.id, columns));
  return columns;
}
