import { createHash } from "node:crypto";
import { tenant } from "@/db/client";
import type { ImportRecord, PartnerScope } from "@/server/custom-fields/import/find-import";
import type { SourceColumn } from "@/server/custom-fields/import/map/column-schema";
import { ColumnWatch } from "@/server/custom-fields/import/map/guess-type";
import { isMasked, namesSecret, normaliseHeader } from "@/server/custom-fields/import/normalise";
import { presetOf } from "@/server/custom-fields/import/presets";
import type { Preset } from "@/server/custom-fields/import/presets/preset";
import { ColumnList } from "@/server/custom-fields/import/read/column-list";
import { detectFormat } from "@/server/custom-fields/import/read/detect-format";
import { put, type SourceRecord } from "@/server/custom-fields/import/read/pivot";
import { readSource, type SourceFile } from "@/server/custom-fields/import/read/read-file";
import {
  type FileFormat,
  MAX_IMPORT_COLUMNS,
  MAX_IMPORT_ROWS,
  REASON_TITLE,
  UNREADABLE_MARK,
} from "@/server/custom-fields/import/schema";
import { AppError } from "@/server/errors";
import { repairText } from "@/server/text";
import { clearResults } from "./tables/results";
import { clearStaged, insertStaged, type StagedRow } from "./tables/staged";

/** Rows and characters of one INSERT. */
const BATCH_ROWS = 2000;
const BATCH_CHARS = 8 * 1024 * 1024;

export type Staged = {
  columns: SourceColumn[];
  formats: FileFormat[];
  records: number[];
  totalRows: number;
  fingerprint: string;
};
/** Stands for our own column of reasons, which is read but not staged. */
const REASON = -1;

/** Same columns, same fingerprint: order and spelling of the titles do not count. */
function fingerprintOf(titles: readonly string[]): string {
  const sorted = titles.map(normaliseHeader).sort();
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}

/** The columns of all files together: places of a file's own columns in the common list, found as they appear. */
class Merger {
  readonly columns = new ColumnList();
  readonly watches: ColumnWatch[] = [];

  /** Cells of a file's record in the order of the common columns, each seen by its column's watch. */
  place(source: SourceFile, places: number[], record: SourceRecord): string[] {
    for (let i = places.length; i < source.columns.titles.length; i++) places.push(this.#placeOf(source, i));
    const cells: string[] = [];
    const reason = record.cells[places.indexOf(REASON)] ?? "";
    if (reason.startsWith(UNREADABLE_MARK)) record.fault ??= "has not been corrected since it could not be read";
    record.cells.forEach((text, i) => {
      const place = places[i] ?? cells.length;
      if (place === REASON) return;
      const repaired = repairText(text);
      const cell = isMasked(repaired) ? "" : repaired;
      put(cells, place, cell);
      if (record.fault !== null) return;
      const watch = this.watch(place);
      if (cell !== repaired) watch.masked++;
      watch.add(cell, record.line);
    });
    return cells;
  }

  #placeOf(source: SourceFile, i: number): number {
    const title = source.columns.titles[i] ?? "";
    return title === REASON_TITLE ? REASON : this.columns.place(title);
  }

  private watch(place: number): ColumnWatch {
    this.watches[place] ??= new ColumnWatch();
    return this.watches[place];
  }

  /** What the files declare is complete only when they have been read to the end. */
  declare(source: SourceFile): void {
    source.columns.titles.forEach((title, i) => {
      if (title !== REASON_TITLE) this.columns.place(title, source.columns.declared[i] ?? null);
    });
  }

  toColumns(rows: number, preset: Preset): SourceColumn[] {
    return this.columns.titles.map((title, index) => {
      const watch = this.watches[index] ?? new ColumnWatch();
      const declared = this.columns.declared[index] ?? null;
      const secret = declared?.secret ? "declared" : watch.masked > 0 ? "masked" : namesSecret(title) ? "title" : null;
      return { index, title: repairText(title), declared, secret, ...watch.profile(rows, preset.dateOrder) };
    });
  }
}

/** Collects rows and stores them in batches. */
class Batches {
  #rows: StagedRow[] = [];
  #chars = 0;
  constructor(readonly store: (rows: readonly StagedRow[]) => Promise<void>) {}

  async add(row: StagedRow): Promise<void> {
    this.#rows.push(row);
    for (const cell of row.cells) this.#chars += cell.length;
    if (this.#rows.length >= BATCH_ROWS || this.#chars >= BATCH_CHARS) await this.flush();
  }

  async flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    this.#chars = 0;
    await this.store(rows);
  }
}

/**
 * Reads all files of an import into its staging table, in one transaction, so that a kill leaves nothing half read.
 * `onRows` receives how many rows have been read, and may throw to stop.
 * @throws AppError what reading throws; payload_too_large for too many rows or columns in all files together.
 */
export async function stageFiles(
  found: ImportRecord,
  scope: PartnerScope,
  onRows: (rows: number) => Promise<void>,
): Promise<Staged> {
  const preset = presetOf(found.source);
  const merger = new Merger();
  const formats: FileFormat[] = [];
  const records: number[] = [];
  let rowNo = 0;
  await tenant(scope, async (tx) => {
    await clearStaged(tx, found.id);
    await clearResults(tx, found.id);
    const batches = new Batches(async (rows) => {
      if (rows.length > 0) await insertStaged(tx, found, rows);
      await onRows(rowNo);
    });
    for (const [fileNo, file] of found.files.entries()) {
      const format = file.format ?? (await detectFormat(file.path, preset));
      const source = readSource(file.path, { format, preset });
      const places: number[] = [];
      const first = rowNo;
      for await (const record of source.records) {
        if (++rowNo > MAX_IMPORT_ROWS)
          throw new AppError(
            "payload_too_large",
            "The files together have more than 200,000 rows; import them one by one.",
          );
        const cells = merger.place(source, places, record);
        await batches.add({ rowNo, fileNo, line: record.line, cells, fault: record.fault });
      }
      await batches.flush();
      merger.declare(source);
      formats.push(format);
      records.push(rowNo - first);
    }
  });
  const columns = merger.toColumns(rowNo, preset);
  if (columns.length > MAX_IMPORT_COLUMNS)
    throw new AppError("payload_too_large", `The files have more than ${MAX_IMPORT_COLUMNS} columns.`);
  return { columns, formats, records, totalRows: rowNo, fingerprint: fingerprintOf(columns.map((c) => c.title)) };
}
