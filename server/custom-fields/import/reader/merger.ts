import { ColumnWatch } from "@/server/custom-fields/import/map/guess-type";
import { isMasked, namesSecret } from "@/server/custom-fields/import/normalise";
import type { SourceColumn } from "@/server/custom-fields/import/plan-schema";
import { REASON_TITLE, UNREADABLE_MARK } from "@/server/custom-fields/import/plan-schema";
import type { Preset } from "@/server/custom-fields/import/presets/preset";
import { ColumnList } from "@/server/custom-fields/import/read/column-list";
import type { FileNotes } from "@/server/custom-fields/import/read/notes";
import { put, type SourceRecord } from "@/server/custom-fields/import/read/pivot";
import type { SourceCell } from "@/server/custom-fields/import/read/read-delimited";
import type { SourceFile } from "@/server/custom-fields/import/read/read-file";
import { repairText } from "@/server/ground/text";

/** Stands for our own column of reasons, which is read but not staged. */
const REASON = -1;

/** A file being read, and where its columns are in the common list: found as they appear. */
type Part = { source: SourceFile; places: number[]; notes: FileNotes };

type SourceColumns = SourceFile["columns"]["all"];

/** The columns of all files together. */
export class Merger {
  readonly columns = new ColumnList();
  readonly #watches: ColumnWatch[] = [];

  /** Cells of a file's record in the order of the common columns, each seen by its column's watch. */
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

  /** What the files declare is complete only when they have been read to the end. */
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
