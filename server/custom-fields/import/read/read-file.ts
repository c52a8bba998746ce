import { cleanCell, isErrorValue, normaliseHeader, uniqueTitles } from "@/server/custom-fields/import/normalise";
import { MAX_IMPORT_ROWS } from "@/server/custom-fields/import/plan-schema";
import type { Preset } from "@/server/custom-fields/import/presets";
import { AppError } from "@/server/ground/errors";
import { badFile } from "./bad-file";
import { ColumnList, requireHeader } from "./column-list";
import { readText, textHead } from "./decode";
import { rawRecords } from "./detect-format";
import type { FileFormat } from "./file-schema";
import { isLineByLine, splitJson, splitLines, withoutPages } from "./json-parts";
import type { FileNotes } from "./notes";
import { type LongEntry, pivot, type SourceRecord } from "./pivot";
import { filledWidth, type RawRecord, type SourceCell } from "./read-delimited";
import { readPart, saysYes } from "./read-json";
import { isSpoiledNumber } from "./shown-cell";
import { identifierOf, longColumns, readFieldList, SECRET_FIELD, secretColumn } from "./table-shape";

/** Reports cells that contain errors or could not be parsed. */
async function* noted(
  records: AsyncIterable<SourceRecord>,
  notes: FileNotes | undefined,
): AsyncGenerator<SourceRecord> {
  for await (const record of records) {
    if (record.fault === null)
      record.cells.forEach((cell, i) => {
        if (cell && isSpoiledNumber(cell)) notes?.add("digits", `line ${record.line}`);
        if (cell?.includes("\ufffd")) notes?.add("unreadable", `line ${record.line}`);
        else if (cell !== null && isErrorValue(cell)) {
          record.cells[i] = null;
          notes?.add("error", `line ${record.line}`);
        }
      });
    yield record;
  }
}

/** Drops repeated headers, as in concatenated pages. */
async function* withoutHeadings(
  rows: AsyncIterable<RawRecord>,
  header: readonly string[],
  notes: FileNotes | undefined,
): AsyncGenerator<RawRecord> {
  const name = normaliseHeader(header[0] ?? "");
  // In the middle of a file, the first title may still have a byte order mark and quotes.
  const isHeading = (cells: readonly SourceCell[]) =>
    cells.length > 1 &&
    cells.length === header.length &&
    cells.at(-1) === header.at(-1) &&
    cells.every((text, i) => text === header[i] || (i === 0 && normaliseHeader(text ?? "") === name));
  for await (const row of rows)
    if (isHeading(row.cells)) notes?.add("heading", `line ${row.line}`);
    else yield row;
}

/** How to read a file; `limit` reads at most this many rows. */
export type Reading = { format: FileFormat; preset: Preset; limit?: number; notes?: FileNotes };
/** A file being read: `columns` grows as `records` is drained. */
export type SourceFile = { columns: ColumnList; records: AsyncGenerator<SourceRecord> };

async function* limited<T>(rows: AsyncIterable<T>, limit: number | undefined): AsyncGenerator<T> {
  let count = 0;
  for await (const row of rows) {
    if (++count > MAX_IMPORT_ROWS)
      throw new AppError(
        "payload_too_large",
        `The file has more than ${MAX_IMPORT_ROWS.toLocaleString("en")} rows; split it.`,
      );
    yield row;
    if (count === limit) return;
  }
}

/** Pads rows, because workbooks do not store trailing blank cells. */
async function* padded(rows: AsyncIterable<RawRecord>, width: number): AsyncGenerator<RawRecord> {
  for await (const { line, cells } of rows) {
    while (cells.length < width) cells.push("");
    yield { line, cells };
  }
}

/** Fault of a row whose width differs from the header's: it may have shifted, so it is reported and never applied. */
function widthFault(cells: readonly SourceCell[], width: number): string | null {
  if (cells.length === width) return null;
  if (cells.length > width && cells.slice(width).every((cell) => !cell?.trim())) return null;
  return `has ${cells.length} cells where the header has ${width}`;
}

async function* wideRecords(rows: AsyncIterable<RawRecord>, width: number): AsyncGenerator<SourceRecord> {
  for await (const { line, cells } of rows) {
    const fault = widthFault(cells, width);
    const clean = (cell: SourceCell) => (cell === null ? null : cleanCell(cell));
    yield { line, cells: (fault ? cells : cells.slice(0, width)).map(clean), fault };
  }
}

async function* longEntries(
  rows: AsyncIterable<RawRecord>,
  titles: string[],
  preset: Preset,
): AsyncGenerator<LongEntry> {
  const columns = longColumns(titles, preset) ?? { field: titles.length - 2, value: titles.length - 1 };
  const secret = secretColumn(titles);
  const identity = titles.flatMap((title, i) =>
    i === columns.field || i === columns.value || i === secret
      ? []
      : [{ title, i, which: identifierOf(title, preset) }],
  );
  for await (const { line, cells } of rows) {
    const cell = (i: number) => cleanCell(cells[i] ?? "");
    yield {
      line,
      identity: identity.map(({ title, i, which }) => ({ title, value: cell(i), which })),
      title: (cells[columns.field] ?? "").trim(),
      value: cells[columns.value] === null ? null : cell(columns.value),
      fault: widthFault(cells, titles.length),
      ...(saysYes(cells[secret]) ? { declared: SECRET_FIELD } : {}),
    };
  }
}

/**
 * Separates the header from the rows. Without a header (headerRow 0) columns are named by position.
 * @throws AppError validation_failed for a file that ends before its header.
 */
async function splitHeader(
  source: AsyncGenerator<RawRecord>,
  headerRow: number,
  notes: FileNotes | undefined,
): Promise<{ header: string[]; records: AsyncGenerator<RawRecord> }> {
  const first: RawRecord[] = [];
  for (let i = 0; i < Math.max(1, headerRow); i++) {
    const { value, done } = await source.next();
    if (done)
      throw badFile(
        i === 0 ? "holds nothing but blank lines" : `has ${i} rows: there is no header in row ${headerRow}`,
      );
    first.push(value);
  }
  for (const { line } of first.slice(0, -1)) notes?.add("above", `line ${line}`);
  if (headerRow === 0) return { header: (first[0]?.cells ?? []).map(() => ""), records: chained(first, source) };
  const next: RawRecord[] = [];
  while (next.length < PEEKED) {
    const { value, done } = await source.next();
    if (done) break;
    next.push(value);
  }
  const header = (first.at(-1)?.cells ?? []).map((cell) => cell ?? "");
  // Columns filled by most rows count even if the header does not name them.
  const wider = next.map(({ cells }) => filledWidth(cells)).filter((width) => width > filledWidth(header));
  const width = wider.length > next.length / 2 ? Math.min(...wider) : 0;
  for (let i = filledWidth(header); i < width; i++) header[i] = `Column ${i + 1}`;
  return { header, records: chained(next, source) };
}

/** Rows below the header to judge its width. */
const PEEKED = 60;

async function* chained(first: readonly RawRecord[], rest: AsyncGenerator<RawRecord>): AsyncGenerator<RawRecord> {
  yield* first;
  yield* rest;
}

async function* readTable(
  path: string,
  { format, preset, limit, notes }: Reading,
  columns: ColumnList,
): AsyncGenerator<SourceRecord> {
  const { header, records } = await splitHeader(rawRecords(path, format, { notes, limit }), format.headerRow, notes);
  const titles = uniqueTitles(requireHeader(header));
  const full = format.kind === "workbook" ? padded(records, titles.length) : records;
  const rows = limited(format.headerRow > 0 ? withoutHeadings(full, header, notes) : full, limit);
  if (format.shape === "fields") await readFieldList(rows, titles, columns);
  else if (format.shape === "long") yield* pivot(longEntries(rows, titles, preset), columns);
  else {
    for (const title of titles) columns.place(title);
    yield* wideRecords(rows, titles.length);
  }
}

async function* readJsonDump(
  path: string,
  { format, preset, limit, notes }: Reading,
  columns: ColumnList,
): AsyncGenerator<SourceRecord> {
  const text = () => readText(path, format.gzip, format.encoding);
  const byLine = isLineByLine(await textHead(path, format.gzip, format.encoding));
  const entries: LongEntry[] = [];
  let line = 0;
  for await (const part of limited(withoutPages((byLine ? splitLines : splitJson)(text())), limit)) {
    const parsed = readPart(part, { line: ++line, columns, preset, notes });
    entries.push(...parsed.entries);
    yield* parsed.records;
  }
  async function* stream() {
    yield* entries;
  }
  yield* pivot(stream(), columns);
  if (columns.titles.length === 0) throw badFile("is JSON without a computer or a field");
}

/**
 * Reads a file as records, one row at a time; the parser of preview and import.
 * @throws AppError (while draining) payload_too_large over a limit, validation_failed for what cannot be read.
 */
export function readSource(path: string, reading: Reading): SourceFile {
  const columns = new ColumnList();
  const read = reading.format.kind === "json" ? readJsonDump : readTable;
  return { columns, records: noted(read(path, reading, columns), reading.notes) };
}
