import { type CellObject, type DenseWorkSheet, utils, type WorkBook } from "@e965/xlsx";
import { MAX_RECORD_CHARS, MAX_WORKBOOK_CELLS } from "@/server/custom-fields/import/plan-schema";
import { AppError } from "@/server/ground/errors";
import { badFile } from "./bad-file";
import type { SheetInfo } from "./file-schema";
import type { FileNotes } from "./notes";
import { openBook } from "./open-workbook";
import type { RawRecord, SourceCell } from "./read-delimited";
import { hasLostDigits, shownCell } from "./shown-cell";

type Cell = CellObject | undefined;
type Sheet = Omit<DenseWorkSheet, "!data"> & { "!data"?: (Cell[] | undefined)[] };

/** Worksheets, without charts and dialogs. */
function sheetsOf(book: WorkBook): SheetInfo[] {
  const sheets = book.SheetNames.flatMap((name, i) => {
    const type = book.Sheets[name]?.["!type"] ?? "sheet";
    return type === "sheet" ? [{ name, isHidden: Boolean(book.Workbook?.Sheets?.[i]?.Hidden) }] : [];
  });
  if (sheets.length === 0) throw badFile("is a workbook without a sheet");
  return sheets;
}

/** Excel's row limit, also applied to cells per row: far more than import columns. */
const MAX_LINE = 1_048_576;
const MAX_ROW_CELLS = 1_000;

/** How to read the rows of a sheet; hidden ones are skipped unless chosen. */
export type SheetReading = { withHidden?: boolean; notes?: FileNotes | undefined; rows?: number | undefined };

class SheetRows {
  readonly #sheet: Sheet;
  readonly #from1904: boolean;
  readonly #areAllHidden: boolean;
  constructor(
    book: WorkBook,
    name: string,
    readonly reading: SheetReading,
  ) {
    this.#sheet = (book.Sheets[name] ?? {}) as Sheet;
    this.#from1904 = book.Workbook?.WBProps?.date1904 ?? false;
    const isVisible = (row: Cell[] | undefined, r: number) => row && !this.#sheet["!rows"]?.[r]?.hidden;
    this.#areAllHidden = !(this.#sheet["!data"] ?? []).slice(0, MAX_LINE).some(isVisible);
    for (const range of this.#sheet["!merges"] ?? []) reading.notes?.add("merged", utils.encode_range(range));
  }

  *read(): Generator<RawRecord> {
    const rows = this.#sheet["!data"] ?? [];
    let count = 0;
    for (let r = 0; r < Math.min(rows.length, MAX_LINE); r++) {
      const row = rows[r];
      if (!row) continue;
      count += row.length;
      if (count > MAX_WORKBOOK_CELLS)
        throw new AppError(
          "payload_too_large",
          `The sheet has over ${MAX_WORKBOOK_CELLS.toLocaleString("en")} cells. Open it in Excel and save it as CSV.`,
        );
      const cells = this.#cells(row, r);
      // Free each row after reading it.
      rows[r] = undefined;
      if (cells.every((cell) => cell === "")) continue;
      if (this.#isHidden("!rows", r) && !this.#areAllHidden) this.reading.notes?.add("hiddenRow", `row ${r + 1}`);
      else yield { line: r + 1, cells };
    }
  }

  /** Some programs hide a column only by zero width. */
  #isHidden(of: "!rows" | "!cols", i: number): boolean {
    const { hidden, width } = { width: undefined, ...this.#sheet[of]?.[i] };
    return !this.reading.withHidden && (hidden === true || width === 0);
  }

  #cells(row: Cell[], r: number): SourceCell[] {
    if (row.length > MAX_ROW_CELLS && Object.keys(row).some((c) => Number(c) >= MAX_ROW_CELLS && row[Number(c)]?.v))
      throw new AppError("payload_too_large", `Row ${r + 1} of the sheet has a cell beyond column ${MAX_ROW_CELLS}.`);
    const cells: SourceCell[] = [];
    let chars = 0;
    for (let c = 0; c < Math.min(row.length, MAX_ROW_CELLS); c++) {
      if (this.#isHidden("!cols", c)) {
        if ((row[c]?.t ?? "z") !== "z") this.reading.notes?.addOnce("hiddenColumn", `column ${utils.encode_col(c)}`);
        continue;
      }
      const text = this.#text(row[c], { r, c });
      chars += text?.length ?? 0;
      if (chars > MAX_RECORD_CHARS) throw badFile("holds a row of over a million characters");
      cells.push(text);
    }
    while (cells.at(-1) === "") cells.pop();
    return cells;
  }

  #text(cell: Cell, at: { r: number; c: number }): SourceCell {
    if (!cell) return "";
    const isFormula = cell.t === "z" && cell.f !== undefined;
    if (cell.t === "e" || isFormula) {
      this.reading.notes?.add(isFormula ? "formula" : "error", utils.encode_cell(at));
      return null;
    }
    if (cell.t === "z") return "";
    if (hasLostDigits(cell)) this.reading.notes?.add("digits", utils.encode_cell(at));
    return shownCell(cell, this.#from1904).trim();
  }
}

export type WorkbookHead = { sheets: SheetInfo[]; rows: (sheet: string) => Generator<RawRecord> };

/**
 * Opens the start of a workbook (XLSX, XLSM, XLSB, XLS, ODS).
 * @throws AppError payload_too_large for one that unpacks beyond the limit, validation_failed for no workbook.
 */
export async function workbookHead(path: string, rows: number): Promise<WorkbookHead> {
  const book = await openBook(path, { rows });
  return { sheets: sheetsOf(book), rows: (sheet) => new SheetRows(book, sheet, {}).read() };
}

/**
 * Rows of a sheet (by default the first), cells as people read them. A row may be shorter than the header, because
 * blanks are not stored.
 * @throws AppError as workbookHead, and payload_too_large for more cells than fit into memory.
 */
export async function* readWorkbook(
  path: string,
  sheet: string | null,
  reading: SheetReading,
): AsyncGenerator<RawRecord> {
  const book = await openBook(path, {
    ...(sheet !== null && { sheet }),
    ...(reading.rows !== undefined && { rows: reading.rows }),
  });
  const sheets = sheetsOf(book);
  const chosen = sheets.find(({ name }) => name === sheet) ?? sheets[0];
  if (chosen?.isHidden) reading.notes?.add("hiddenSheet", chosen.name);
  yield* new SheetRows(book, chosen?.name ?? "", reading).read();
}
