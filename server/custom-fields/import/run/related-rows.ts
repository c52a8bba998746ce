import type { Tx } from "@/db/client";
import { type PlacedFile, rowPlace } from "@/server/custom-fields/import/read/row-place";
import type { RowReference } from "@/server/custom-fields/import/row-schema";
import { type RelatedRow, type ResultRow, readRowsAbout } from "./tables/results";

/** Other rows named beside one that contradicts them. */
const MAX_RELATED = 5;

/** The rows that are about a device of some rows in conflict: asked for only where there is one. */
export async function loadRowsAbout(
  tx: Tx,
  importId: string,
  { rows, limit }: { rows: readonly ResultRow[]; limit: number },
): Promise<readonly RelatedRow[]> {
  const disputed = rows.flatMap((row) => (row.outcome === "identity_conflict" ? (row.candidates ?? []) : []));
  return disputed.length > 0 ? readRowsAbout(tx, importId, { deviceIds: [...new Set(disputed)], limit }) : [];
}

/** The other rows of the file that are about a device of a row in conflict, the first of them. */
export function relatedTo(row: ResultRow, about: readonly RelatedRow[], files: readonly PlacedFile[]): RowReference[] {
  if (row.outcome !== "identity_conflict") return [];
  const devices = new Set(row.candidates ?? []);
  return about
    .filter((other) => other.rowNo !== row.rowNo && other.devices.some((id) => devices.has(id)))
    .slice(0, MAX_RELATED)
    .map((other) => ({ rowNo: other.rowNo, sourceId: other.sourceId, place: rowPlace(files, other) }));
}
