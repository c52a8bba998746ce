import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { parse as parseSync } from "csv-parse/sync";
import { MAX_RECORD_CHARS } from "@/server/custom-fields/import/plan-schema";
import { badFile } from "./bad-file";
import { DELIMITERS, type Delimiter } from "./file-schema";

/** A cell as it was read: "" is blank, null is no value that the file gives (an error, a mask, a field it does not name). */
export type SourceCell = string | null;

/** One record of a file before its header is known; line is where it starts. */
export type RawRecord = { line: number; cells: SourceCell[] };

const OPTIONS = {
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: false,
  record_delimiter: ["\r\n", "\n", "\r"],
  max_record_size: MAX_RECORD_CHARS,
};

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === "");

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

/**
 * The records of a delimited text, blank lines left out; quoted cells may hold newlines.
 * @throws AppError validation_failed for an unclosed quote, naming its line.
 */
export async function* readDelimited(text: AsyncIterable<string>, delimiter: Delimiter): AsyncGenerator<RawRecord> {
  const parser = parse({ ...OPTIONS, delimiter, info: true });
  const source = Readable.from(text);
  source.once("error", (error) => parser.destroy(error));
  let line = 1;
  try {
    const records: AsyncIterable<{ record: string[]; info: { lines: number } }> = source.pipe(parser);
    for await (const { record, info } of records) {
      if (!isBlank(record)) yield { line, cells: record };
      line = info.lines + 1;
    }
  } catch (error) {
    throw unreadable(error, line);
  } finally {
    source.destroy();
    parser.destroy();
  }
}

function sampleRecords(text: string, delimiter: Delimiter): string[][] {
  // The sample may end in the middle of a record: its last line is not counted.
  const whole = text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1) || text;
  const records: string[][] = [];
  const keep = (cells: string[]) => {
    records.push(cells);
    return cells;
  };
  try {
    parseSync(whole, { ...OPTIONS, delimiter, to: 60, on_record: keep });
  } catch {
    // That line may be within a quoted cell, which is then never closed: the records before it count.
  }
  return records.filter((cells) => !isBlank(cells));
}

/** The most frequent number of cells (among equals the first) and how many records have it. */
function commonWidth(records: readonly string[][]): { width: number; count: number } {
  const counts = new Map<number, number>();
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1);
  let best = { width: 0, count: 0 };
  for (const [width, count] of counts) if (count > best.count) best = { width, count };
  return best;
}

const LOOKS_LIKE_DATA = /^[+-]?\d+([.,]\d+)*$/;

/** The first record that is as wide as most, mostly filled and consists of words: the header; counted from 1. */
export function findHeader(records: readonly string[][]): number {
  const { width } = commonWidth(records);
  const found = records.slice(0, 20).findIndex((cells) => {
    const filled = cells.filter((cell) => cell.trim() !== "");
    const words = filled.filter((cell) => !LOOKS_LIKE_DATA.test(cell.trim()));
    return cells.length >= width && filled.length >= Math.max(1, width * 0.6) && words.length >= filled.length * 0.6;
  });
  return found < 0 ? 1 : found + 1;
}

/** Delimiter and header row of a text's beginning: the delimiter that cuts most records into equally many cells. */
export function detectDelimiter(text: string): { delimiter: Delimiter; headerRow: number; records: string[][] } {
  const declared = /^sep=(.)\r?\n/i.exec(text)?.[1];
  let best: { delimiter: Delimiter; score: number; records: string[][] } | null = null;
  const known = DELIMITERS.filter((delimiter) => delimiter === declared);
  for (const delimiter of known.length > 0 ? known : DELIMITERS) {
    const records = sampleRecords(text, delimiter);
    const { width, count } = commonWidth(records);
    const score = width > 1 ? (count / Math.max(1, records.length)) * 100 + Math.min(width, 50) : 0;
    if (!best || score > best.score) best = { delimiter, score, records };
  }
  const records = best?.records ?? [];
  return { delimiter: best?.delimiter ?? ",", headerRow: findHeader(records), records };
}
