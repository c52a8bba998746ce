import type { DeclaredField } from "@/server/custom-fields/import/map/column-schema";
import type { ColumnList } from "./column-list";

/** One record of a source, cells in the order of its columns (missing at the end: blank). */
export type SourceRecord = { line: number; cells: string[]; fault: string | null };

/** One (computer, field, value). identity: titles and values of the columns that say which computer. */
export type LongEntry = {
  line: number;
  key: string;
  identity: readonly (readonly [title: string, value: string])[];
  title: string;
  value: string;
  declared?: DeclaredField;
};

export function put(cells: string[], column: number, value: string): void {
  while (cells.length < column) cells.push("");
  cells[column] = value;
}

type Entry = Pick<LongEntry, "line" | "title" | "value" | "declared">;

/** Puts a computer's value of a field into its record; a second, different one is the record's fault. */
export function add(record: SourceRecord, columns: ColumnList, entry: Entry): void {
  if (entry.title === "") {
    if (entry.value !== "") record.fault ??= `line ${entry.line} has a value without a field`;
    return;
  }
  const place = columns.place(entry.title, entry.declared);
  const before = record.cells[place] ?? "";
  if (before !== "" && entry.value !== "" && before !== entry.value)
    record.fault ??= `line ${entry.line} gives a second value for ${entry.title}`;
  else if (before === "") put(record.cells, place, entry.value);
}

/**
 * Turns (computer, field, value) entries into one record per computer, in the order of their first lines. An entry
 * without a computer stays a separate record, with its fault. Held in memory: the row limit bounds it.
 */
export async function* pivot(entries: AsyncIterable<LongEntry>, columns: ColumnList): AsyncGenerator<SourceRecord> {
  const records = new Map<string, SourceRecord>();
  let nameless = 0;
  for await (const entry of entries) {
    const key = entry.key || `\0${nameless++}`;
    let record = records.get(key);
    if (!record) {
      record = { line: entry.line, cells: [], fault: entry.key ? null : "names no computer" };
      for (const [title, value] of entry.identity) put(record.cells, columns.place(title), value);
      records.set(key, record);
    }
    add(record, columns, entry);
  }
  yield* records.values();
}
