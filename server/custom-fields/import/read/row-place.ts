import type { FileFormat } from "./file-schema";

/** A file as far as it says where its rows are. */
export type PlacedFile = { name: string; format: FileFormat | null };

/** Where a row is, as a person finds it: "line 14", "sheet Computers, line 14", with the file's name among several. */
export function rowPlace(files: readonly PlacedFile[], { fileNo, line }: { fileNo: number; line: number }): string {
  const file = files[fileNo];
  const sheet = file?.format?.kind === "workbook" ? file.format.sheet : null;
  return [files.length > 1 && file?.name, sheet && `sheet ${sheet}`, `line ${line}`].filter(Boolean).join(", ");
}
