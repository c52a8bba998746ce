import { normaliseHeader } from "@/server/custom-fields/import/normalise";
import type { FileNotes } from "./notes";
import type { RawRecord, SourceCell } from "./read-delimited";

/** A row that repeats the header (pages put one after the other) holds no values. */
export async function* withoutHeadings(
  rows: AsyncIterable<RawRecord>,
  header: readonly string[],
  notes: FileNotes | undefined,
): AsyncGenerator<RawRecord> {
  const name = normaliseHeader(header[0] ?? "");
  // The first title may have a mark and quotes about it that no reader took off in the middle of a file.
  const isHeading = (cells: readonly SourceCell[]) =>
    cells.length > 1 &&
    cells.length === header.length &&
    cells.at(-1) === header.at(-1) &&
    cells.every((text, i) => text === header[i] || (i === 0 && normaliseHeader(text ?? "") === name));
  for await (const row of rows)
    if (isHeading(row.cells)) notes?.add("heading", `line ${row.line}`);
    else yield row;
}
