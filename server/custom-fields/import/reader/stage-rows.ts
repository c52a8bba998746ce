import { createHash } from "node:crypto";
import { ColumnWatch } from "@/server/custom-fields/import/map/guess-type";
import { isMasked, namesSecret, normaliseHeader } from "@/server/custom-fields/import/normalise";
import {
  MAX_IMPORT_ROWS,
  REASON_TITLE,
  type SourceColumn,
  UNREADABLE_MARK,
} from "@/server/custom-fields/import/plan-schema";
import type { Preset } from "@/server/custom-fields/import/presets";
import { ColumnList } from "@/server/custom-fields/import/read/column-list";
import { detect } from "@/server/custom-fields/import/read/detect-format";
import type { FileFormat } from "@/server/custom-fields/import/read/file-schema";
import { createNotes, type FileNotes } from "@/server/custom-fields/import/read/notes";
import { put, type SourceRecord } from "@/server/custom-fields/import/read/pivot";
import type { SourceCell } from "@/server/custom-fields/import/read/read-delimited";
import { readSource, type SourceFile } from "@/server/custom-fields/import/read/read-file";
import { AppError } from "@/server/ground/errors";
import { repairText } from "@/server/ground/text";

/** Our own column of reasons, read but not staged. */
const REASON = -1;

/** A file being read, and the positions of its columns in the common list, found as they appear. */
type Part = { source: SourceFile; places: number[]; notes: FileNotes };

type SourceColumns = SourceFile["columns"]["all"];

/** Merges the columns of all files. */
class Merger {
  readonly columns = new ColumnList();
  readonly #watches: ColumnWatch[] = [];

  /** Orders a record's cells by the common columns and profiles each. */
  place({ source, places, notes }: Part, record: SourceRecord): SourceCell[] {
    for (const column of source.columns.all.slice(places.length)) places.push(this.#placeOf(column));
    const cells: SourceCell[] = [];
    const reason = record.cells[places.indexOf(REASON)] ?? "";
    if (reason.startsWith(UNREADABLE_MARK)) record.fault ??= "has not been corrected since it could not be read";
    record.cells.forEach((text, i) => {
      const place = places[i] ?? cells.length;
      if (place === REASON) return;
      const repaired = text === null ? null : repairText(text);
      if (repaired !== text) notes.add("character", `line ${record.line}`);
      const cell = repaired !== null && isMasked(repaired) ? null : repaired;
      if (cell !== repaired) notes.add("mask", `line ${record.line}`);
      put(cells, place, cell);
      if (record.fault !== null) return;
      const watch = this.#watch(place);
      if (cell !== repaired) watch.masked++;
      if (cell !== null) watch.add(cell, record.line);
    });
    return cells;
  }

  #placeOf({ name, kind }: SourceColumns[number]): number {
    return name === REASON_TITLE ? REASON : this.columns.place(name, { kind });
  }

  #watch(place: number): ColumnWatch {
    this.#watches[place] ??= new ColumnWatch();
    return this.#watches[place];
  }

  /** Declarations are complete only after the whole file is read. */
  declare(source: SourceFile): void {
    for (const { name, kind, declared } of source.columns.all)
      if (name !== REASON_TITLE) this.columns.place(name, { kind, declared });
  }

  toColumns(rows: number, preset: Preset): SourceColumn[] {
    return this.columns.all.map(({ title, declared }, index) => {
      const watch = this.#watches[index] ?? new ColumnWatch();
      const secret = declared?.secret ? "declared" : watch.masked > 0 ? "masked" : namesSecret(title) ? "title" : null;
      return { index, title: repairText(title), declared, secret, ...watch.profile(rows, preset.dateOrder) };
    });
  }
}

/** Rows and characters per INSERT, to keep its text small. */
const BATCH_ROWS = 2000;
const BATCH_CHARS = 2 * 1024 * 1024;

/** A file to read; format is a person's choice, or null to detect it. */
export type GivenFile = { name: string; path: string; format: FileFormat | null };
/** Format of a read file, its number of records, and notes for a person. */
type StagedFile = { format: FileFormat; records: number; notes: string[] };
/** Result of staging, without rows. */
export type Staged = { columns: SourceColumn[]; files: StagedFile[]; totalRows: number; fingerprint: string };
/** Rows as JSON text for an INSERT, and the total read so far. */
export type Batch = { json: string; through: number };
/** A record as read: cells in the order of the import's columns (missing at the end: no value). */
export type StagedRow = { rowNo: number; fileNo: number; line: number; cells: SourceCell[]; fault: string | null };
type OnBatch = (batch: Batch) => Promise<void>;

/** Fingerprint of columns, independent of order and spelling of titles. */
function fingerprintOf(titles: readonly string[]): string {
  const sorted = titles.map(normaliseHeader).sort();
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}

/** Collects rows in batches, serialized at once. */
class Batches {
  #rows: string[] = [];
  #chars = 0;
  #through = 0;
  constructor(readonly send: OnBatch) {}

  async add(row: StagedRow): Promise<void> {
    const text = JSON.stringify(row);
    this.#rows.push(text);
    this.#chars += text.length;
    this.#through = row.rowNo;
    if (this.#rows.length >= BATCH_ROWS || this.#chars >= BATCH_CHARS) await this.flush();
  }

  async flush(): Promise<void> {
    const json = `[${this.#rows.join(",")}]`;
    this.#rows = [];
    this.#chars = 0;
    await this.send({ json, through: this.#through });
  }
}

type Reading = { preset: Preset; merger: Merger; batches: Batches; firstRow: number; fileNo: number };

async function stageFile(
  { path, format: given }: GivenFile,
  { preset, merger, batches, firstRow, fileNo }: Reading,
): Promise<StagedFile> {
  const { format, encodingGuess } = given ? { format: given, encodingGuess: null } : await detect(path, preset);
  const notes = createNotes();
  const source = readSource(path, { format, preset, notes });
  const part = { source, places: [], notes };
  let records = 0;
  for await (const record of source.records) {
    const rowNo = firstRow + ++records;
    if (rowNo > MAX_IMPORT_ROWS)
      throw new AppError(
        "payload_too_large",
        "The files together have more than 200,000 rows; import them one by one.",
      );
    const cells = merger.place(part, record);
    await batches.add({ rowNo, fileNo, line: record.line, cells, fault: record.fault });
  }
  await batches.flush();
  merger.declare(source);
  const isBare = records === 0 && format.kind !== "json" && format.shape !== "fields";
  const bare = isBare ? ["There is no row below the header."] : [];
  return { format, records, notes: [...(encodingGuess ? [encodingGuess] : []), ...notes.toTexts(), ...bare] };
}

/** Adds the file name to an error if there are several files. */
function ofFile({ name }: GivenFile, error: unknown): unknown {
  const [fault] = error instanceof AppError ? (error.extra.errors ?? []) : [];
  return error instanceof AppError && fault?.path === "file"
    ? new AppError(error.code, `${name} ${fault.message}.`, error.extra)
    : error;
}

/**
 * Reads files one after the other into common columns.
 * @throws AppError the errors of reading; payload_too_large for too many rows or columns in all files together.
 */
export async function stageRows(preset: Preset, files: readonly GivenFile[], onBatch: OnBatch): Promise<Staged> {
  const merger = new Merger();
  const batches = new Batches(onBatch);
  const staged: StagedFile[] = [];
  let totalRows = 0;
  for (const [fileNo, file] of files.entries()) {
    const reading = { preset, merger, batches, firstRow: totalRows, fileNo };
    const done = await stageFile(file, reading).catch((error: unknown) => {
      throw files.length > 1 ? ofFile(file, error) : error;
    });
    totalRows += done.records;
    staged.push(done);
  }
  const columns = merger.toColumns(totalRows, preset);
  return { columns, files: staged, totalRows, fingerprint: fingerprintOf(columns.map(({ title }) => title)) };
}
