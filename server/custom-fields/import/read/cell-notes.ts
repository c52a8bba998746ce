import { isErrorValue } from "@/server/custom-fields/import/normalise";
import type { FileNotes } from "./notes";
import type { SourceRecord } from "./pivot";

/** Cells that hold an error, which is no value and no blank cell either, or that were not understood, are reported. */
export async function* noted(
  records: AsyncIterable<SourceRecord>,
  notes: FileNotes | undefined,
): AsyncGenerator<SourceRecord> {
  for await (const record of records) {
    if (record.fault === null)
      record.cells.forEach((cell, i) => {
        if (cell?.includes("\ufffd")) notes?.add("unreadable", `line ${record.line}`);
        else if (cell !== null && isErrorValue(cell)) {
          record.cells[i] = null;
          notes?.add("error", `line ${record.line}`);
        }
      });
    yield record;
  }
}
