import type { Tx } from "@/db/client";
import type { RowReference } from "@/server/custom-fields/import/outcome-schema";
import type { FileFormat } from "@/server/custom-fields/import/read/file-schema";
import { groupBy } from "@/server/ground/records";
import { type RelatedRow, type ResultRow, readRowsAbout } from "./tables/results";

/** Parts of a file needed to locate its rows. */
export type PlacedFile = { name: string; format: FileFormat | null };

/** Place of a row for people: "line 14", "sheet Computers, line 14", with the file name if there are several. */
export function rowPlace(files: readonly PlacedFile[], { fileNo, line }: { fileNo: number; line: number }): string {
  const file = files[fileNo];
  const sheet = file?.format?.kind === "workbook" ? file.format.sheet : null;
  return [files.length > 1 && file?.name, sheet && `sheet ${sheet}`, `line ${line}`].filter(Boolean).join(", ");
}

/** Rows named beside a contradicting one. */
const MAX_RELATED = 5;

/** First rows of a group except one. A group may be the whole file, so only its start is read. */
const firstOthers = <T extends { rowNo: number }>(group: readonly T[], rowNo: number): T[] =>
  group
    .slice(0, MAX_RELATED + 1)
    .filter((row) => row.rowNo !== rowNo)
    .slice(0, MAX_RELATED);

type GroupedRow = Pick<RelatedRow, "rowNo" | "fileNo" | "line" | "sourceId">;

/** Other rows of a row's group: "line 7 (ID 103), line 9 and 3 more" */
export function othersInWords(files: readonly PlacedFile[], group: readonly GroupedRow[], rowNo: number): string {
  const named = firstOthers(group, rowNo);
  const words = named.map((row) => `${rowPlace(files, row)}${row.sourceId === null ? "" : ` (ID ${row.sourceId})`}`);
  const more = group.length - 1 - named.length;
  return `${words.join(files.length > 1 ? "; " : ", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Rows about a device, in file order, by device id. */
export type RowsAbout = ReadonlyMap<string, readonly RelatedRow[]>;

/** Rows about the devices of rows in conflict; queried only if there are any. */
export async function loadRowsAbout(
  tx: Tx,
  importId: string,
  { rows, limit }: { rows: readonly ResultRow[]; limit: number },
): Promise<RowsAbout> {
  const disputed = new Set(rows.flatMap((row) => (row.outcome === "identity_conflict" ? (row.candidates ?? []) : [])));
  if (disputed.size === 0) return new Map();
  const about = await readRowsAbout(tx, importId, { deviceIds: [...disputed], limit });
  const pairs = about.flatMap((row) =>
    [...new Set(row.devices)].filter((device) => disputed.has(device)).map((device) => ({ ...row, device })),
  );
  return groupBy(pairs, ({ device }) => device);
}

/** First other rows about a device of a row in conflict. */
export function relatedTo(row: ResultRow, about: RowsAbout, files: readonly PlacedFile[]): RowReference[] {
  if (row.outcome !== "identity_conflict") return [];
  const others = (row.candidates ?? []).flatMap((device) => firstOthers(about.get(device) ?? [], row.rowNo));
  return [...new Map(others.map((other) => [other.rowNo, other])).values()]
    .sort((a, b) => a.rowNo - b.rowNo)
    .slice(0, MAX_RELATED)
    .map((other) => ({ rowNo: other.rowNo, sourceId: other.sourceId, place: rowPlace(files, other) }));
}
