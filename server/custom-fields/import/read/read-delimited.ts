import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { parse as parseSync } from "csv-parse/sync";
import { MAX_RECORD_CHARS } from "@/server/custom-fields/import/plan-schema";
import { badFile } from "./bad-file";
import { DELIMITERS, type Delimiter, type Quote } from "./file-schema";
import type { FileNotes } from "./notes";

/** A cell as read: "" is blank, null is no value (an error, a mask, an unnamed field). */
export type SourceCell = string | null;

/** A record before its header is known; line is its first. */
export type RawRecord = { line: number; cells: SourceCell[] };

const OPTIONS = {
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: false,
  // Spaces before a quote do not belong to the cell.
  ltrim: true,
  record_delimiter: ["\r\n", "\n", "\r"],
  max_record_size: MAX_RECORD_CHARS,
};

/** True if an opening quote without a matching end was read as a letter. */
const isMisquoted = (cell: string, quote: Quote): boolean =>
  cell.startsWith(quote) && (cell.length === 1 || !cell.endsWith(quote));

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === "");

/** True for a first line that only describes the file: Excel's sep=, PowerShell's #TYPE. */
const isDirective = ([first = ""]: readonly string[]): boolean => /^(sep=|#TYPE )/i.test(first);

function unreadable(error: unknown, line: number): unknown {
  if (!(error instanceof CsvError)) return error;
  if (error.code === "CSV_QUOTE_NOT_CLOSED")
    return badFile(`has a quoted cell that starts near line ${line} and is never closed`);
  if (error.code === "CSV_MAX_RECORD_SIZE")
    return badFile(
      `has a row of over a million characters that starts near line ${line}; a quote there may never be closed`,
    );
  if (error.code?.startsWith("CSV_")) return badFile(`cannot be read near line ${line}`);
  return error;
}

/** Syntax of a delimited text. */
export type Dialect = { delimiter: Delimiter; quote?: Quote | undefined; notes?: FileNotes | undefined };

/**
 * Records of a delimited text without blank lines; quoted cells may contain newlines.
 * @throws AppError validation_failed for an unclosed quote, naming its line.
 */
export async function* readDelimited(
  text: AsyncIterable<string>,
  { delimiter, quote = '"', notes }: Dialect,
): AsyncGenerator<RawRecord> {
  const parser = parse({ ...OPTIONS, delimiter, quote, escape: quote, info: true });
  const source = Readable.from(text);
  source.once("error", (error) => parser.destroy(error));
  let line = 1;
  try {
    const records: AsyncIterable<{ record: string[]; info: { lines: number } }> = source.pipe(parser);
    for await (const { record, info } of records) {
      if (record.some((cell) => isMisquoted(cell, quote))) notes?.add("quote", `line ${line}`);
      if (!isBlank(record) && !(line === 1 && isDirective(record))) yield { line, cells: record };
      line = info.lines + 1;
    }
  } catch (error) {
    throw unreadable(error, line);
  } finally {
    source.destroy();
    parser.destroy();
  }
}

function sampleRecords(text: string, delimiter: Delimiter, quote: Quote): string[][] {
  // The sample may end within a record, so its last line is ignored.
  const whole = text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1) || text;
  const records: string[][] = [];
  const keep = (cells: string[]) => {
    records.push(cells);
    return cells;
  };
  try {
    parseSync(whole, { ...OPTIONS, delimiter, quote, escape: quote, to: 60, on_record: keep });
  } catch {
    // That line may be inside an unclosed quoted cell; the records before it count.
  }
  return records.filter((cells, i) => !isBlank(cells) && !(i === 0 && isDirective(cells)));
}

/** Most frequent number of cells (the first of equals) and its number of records. */
function commonWidth(records: readonly string[][]): { width: number; count: number } {
  const counts = new Map<number, number>();
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1);
  let best = { width: 0, count: 0 };
  for (const [width, count] of counts) if (count > best.count) best = { width, count };
  return best;
}

/** Number of cells up to the last nonblank one. */
export const filledWidth = (cells: readonly SourceCell[]): number => cells.findLastIndex((cell) => cell?.trim()) + 1;

const LOOKS_LIKE_DATA = /^[+-]?\d+([.,]\d+)*$/;
const hasDigit = (cell: string): boolean => /\d/.test(cell);

/** True for a header one cell narrower than the row below: the last column has no name. */
const isNarrowHeader = (cells: readonly string[], below: readonly string[]): boolean =>
  cells.length > 1 &&
  cells.length === below.length - 1 &&
  cells.every((cell) => cell.trim() !== "" && !hasDigit(cell)) &&
  below.some(hasDigit);

/**
 * Header row, counted from 1: the first record as wide as most, mostly filled and made of words. Ignores columns that
 * are blank in every record, as after a trailing separator.
 */
export function findHeader(records: readonly string[][]): number {
  const width = Math.min(commonWidth(records).width, Math.max(0, ...records.map(filledWidth)));
  const found = records.slice(0, 20).findIndex((cells) => {
    const filled = cells.filter((cell) => cell.trim() !== "");
    const words = filled.filter((cell) => !LOOKS_LIKE_DATA.test(cell.trim()));
    return cells.length >= width && filled.length >= Math.max(1, width * 0.6) && words.length >= filled.length * 0.6;
  });
  const [above, below] = [records[found - 1], records[found]];
  if (above && below && isNarrowHeader(above, below)) return found;
  return found < 0 ? 1 : found + 1;
}

/** Single quotes if the text starts with cells in them. */
const quoteOf = (text: string): Quote => (/^\s*'[^'\r\n]*'\s*[,;\t|]\s*'/.test(text) ? "'" : '"');

type Detected = { delimiter: Delimiter; quote: Quote; headerRow: number; records: string[][] };

/** Delimiter, quote and header row of a text's start: the delimiter that gives most records equal width. */
export function detectDelimiter(text: string): Detected {
  const declared = /^sep=(.)\r?\n/i.exec(text)?.[1];
  const quote = quoteOf(text);
  let best: { delimiter: Delimiter; score: number; records: string[][] } | null = null;
  const known = DELIMITERS.filter((delimiter) => delimiter === declared);
  for (const delimiter of known.length > 0 ? known : DELIMITERS) {
    const records = sampleRecords(text, delimiter, quote);
    const { width, count } = commonWidth(records);
    const score = width > 1 ? (count / Math.max(1, records.length)) * 100 + Math.min(width, 50) : 0;
    if (!best || score > best.score) best = { delimiter, score, records };
  }
  const records = best?.records ?? [];
  return { delimiter: best?.delimiter ?? ",", quote, headerRow: findHeader(records), records };
}
