import type { FileFormat } from "./file-schema";

/** A file as far as it says where its rows are. */
export type PlacedFile = { name: string; format: FileFormat | null };

/** Where a row is, as a person finds it: "line 14", "sheet Computers, line 14", with the file's name among several. */
export function rowPlace(files: readonly PlacedFile[], { fileNo, line }: { fileNo: number; line: number }): string {
  const file = files[fileNo];
  const sheet = file?.format?.kind === "workbook" ? file.format.sheet : null;
  return [files.length > 1 && file?.name, sheet && `sheet ${sheet}`, `line ${line}`].filter(Boolean).join(", ");
}

/** Rows named one by one; beyond them it is said how many more there are. */
const MAX_NAMED_ROWS = 5;

/** "line 7 (ID 103), line 9 and 3 more" */
export function rowsInWords(
  files: readonly PlacedFile[],
  rows: readonly { fileNo: number; line: number; sourceId: string | null }[],
): string {
  const words = rows
    .slice(0, MAX_NAMED_ROWS)
    .map((row) => `${rowPlace(files, row)}${row.sourceId === null ? "" : ` (ID ${row.sourceId})`}`);
  const more = rows.length > MAX_NAMED_ROWS ? ` and ${rows.length - MAX_NAMED_ROWS} more` : "";
  return `${words.join(files.length > 1 ? "; " : ", ")}${more}`;
}
