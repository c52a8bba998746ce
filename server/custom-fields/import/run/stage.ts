import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import type { ImportRecord, PartnerScope } from "@/server/custom-fields/import/find-import";
import { ColumnWatch } from "@/server/custom-fields/import/map/guess-type";
import { normaliseHeader } from "@/server/custom-fields/import/normalise";
import { presetOf } from "@/server/custom-fields/import/presets";
import type { Preset } from "@/server/custom-fields/import/presets/preset";
import { ColumnList } from "@/server/custom-fields/import/read/column-list";
import { detectFormat } from "@/server/custom-fields/import/read/detect-format";
import type { SourceRecord } from "@/server/custom-fields/import/read/pivot";
import { readSource, type SourceFile } from "@/server/custom-fields/import/read/read-file";
import {
  type DeclaredField,
  type FileFormat,
  MAX_IMPORT_COLUMNS,
  MAX_IMPORT_ROWS,
  REASON_TITLE,
  type SourceColumn,
  UNREADABLE_MARK,
} from "@/server/custom-fields/import/schema";
import { AppError } from "@/server/errors";
import { repairText } from "@/server/text";

/** Rows of one INSERT. */
const BATCH = 2000;

export type Staged = {
  columns: SourceColumn[];
  formats: FileFormat[];
  records: number[];
  totalRows: number;
  fingerprint: string;
};
type StagedRow = { n: number; f: number; l: number; c: string[]; x: string | null };
/** The place of our own column of reasons: it is looked at and left out. */
const REASON = -1;

async function insertRows(tx: Tx, found: ImportRecord, rows: StagedRow[]): Promise<void> {
  await tx.execute(sql`
    INSERT INTO custom_field_import_rows (import_id, row_no, partner_id, file_no, line, cells, fault)
    SELECT ${found.id}::uuid, r.n, ${found.partnerId}::uuid, r.f, r.l, r.c, r.x
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS r(n int, f smallint, l int, c jsonb, x text)`);
}

/** Same columns, same fingerprint: order and spelling of the titles do not count. */
export function fingerprintOf(titles: readonly string[]): string {
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
    if (reason.startsWith(UNREADABLE_MARK)) record.fault ??= "has not been put right since it could not be read";
    record.cells.forEach((text, i) => {
      const place = places[i] ?? cells.length;
      if (place === REASON) return;
      while (cells.length < place) cells.push("");
      cells[place] = repairText(text);
      if (record.fault === null) this.watch(place).add(cells[place] as string);
    });
    return cells;
  }

  #placeOf(source: SourceFile, i: number): number {
    const title = source.columns.titles[i] as string;
    return title === REASON_TITLE ? REASON : this.columns.place(title);
  }

  private watch(place: number): ColumnWatch {
    this.watches[place] ??= new ColumnWatch();
    return this.watches[place];
  }

  /** What the files declare is complete only when they have been read to the end. */
  declare(source: SourceFile): void {
    source.columns.titles.forEach((title, i) => {
      if (title !== REASON_TITLE) this.columns.place(title, source.columns.declared[i] as DeclaredField | null);
    });
  }

  toColumns(rows: number, preset: Preset): SourceColumn[] {
    return this.columns.titles.map((title, index) => {
      const profile = (this.watches[index] ?? new ColumnWatch()).profile(rows, preset.dateOrder);
      const declared = this.columns.declared[index] ?? null;
      return {
        index,
        title: repairText(title),
        declared,
        ...profile,
        samples: declared?.secret ? [] : profile.samples,
      };
    });
  }
}

/**
 * Reads all files of an import into its staging table, in one transaction, so that a kill leaves nothing half read.
 * `onRows` hears how many rows have been read, and may throw to stop.
 * @throws AppError what reading throws; validation_failed-like for too many rows or columns in all files together.
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
    await tx.execute(sql`DELETE FROM custom_field_import_rows WHERE import_id = ${found.id}::uuid`);
    await tx.execute(sql`DELETE FROM custom_field_import_results WHERE import_id = ${found.id}::uuid`);
    for (const [fileNo, file] of found.files.entries()) {
      const format = file.format ?? (await detectFormat(file.path, preset));
      const source = readSource(file.path, format, preset);
      const places: number[] = [];
      const first = rowNo;
      let batch: StagedRow[] = [];
      const flush = async () => {
        if (batch.length > 0) await insertRows(tx, found, batch);
        batch = [];
        await onRows(rowNo);
      };
      for await (const record of source.records) {
        if (++rowNo > MAX_IMPORT_ROWS)
          throw new AppError(
            "payload_too_large",
            "The files together have more than 200,000 rows; import them one by one.",
          );
        batch.push({ n: rowNo, f: fileNo, l: record.line, c: merger.place(source, places, record), x: record.fault });
        if (batch.length >= BATCH) await flush();
      }
      await flush();
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
