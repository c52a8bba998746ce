import type { FileFormat } from "./file-schema";

/** Parts of a file needed to locate its rows. */
export type PlacedFile = { name: string; format: FileFormat | null };

/** Place of a row for people: "line 14", "sheet Computers, line 14", with the file name if there are several. */
export function rowPlace(files: readonly PlacedFile[], { fileNo, line }: { fileNo: number; line: number }): string {
  const file = files[fileNo];
  const sheet = file?.format?.kind === "workbook" ? file.format.sheet : null;
  return [files.length > 1 && file?.name, sheet && `sheet ${sheet}`, `line ${line}`].filter(Boolean).join(", ");
}
