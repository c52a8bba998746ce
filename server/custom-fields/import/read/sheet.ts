/** The few pieces of SpreadsheetML (ECMA-376) that say what is in the cells of a sheet, as events of its XML. */

import { MAX_RECORD_CHARS } from "@/server/custom-fields/import/plan-schema";
import { AppError } from "@/server/ground/errors";
import { badFile } from "./bad-file";
import type { SheetInfo } from "./file-schema";
import type { FileNotes } from "./notes";
import { type CellStyle, PLAIN, styleOf } from "./number-format";
import type { RawRecord, SourceCell } from "./read-delimited";
import { shownNumber } from "./shown-number";
import { type Attributes, attributeOf, type XmlEvents } from "./xml";

/** Excel writes characters that XML cannot hold as _x000D_. */
const unescapeText = (text: string): string =>
  text.includes("_x")
    ? text.replace(/_x([0-9a-f]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

/** The texts of the shared string items, each the sum of its runs, without phonetic hints. */
export function stringEvents(emit: (text: string) => void): XmlEvents {
  let text = "";
  let isText = false;
  let phonetic = 0;
  return {
    open(name) {
      if (name === "si") text = "";
      else if (name === "rPh") phonetic++;
      else if (name === "t") isText = phonetic === 0;
    },
    close(name) {
      if (name === "t") isText = false;
      else if (name === "rPh") phonetic--;
      else if (name === "si") emit(unescapeText(text));
    },
    text(piece) {
      if (isText) text += piece;
    },
  };
}

/** The cell styles in their order. */
export function styleEvents(emit: (style: CellStyle) => void): XmlEvents {
  const custom = new Map<number, string>();
  let inCellStyles = false;
  return {
    open(name, attributes) {
      if (name === "numFmt") custom.set(Number(attributes.numFmtId), attributes.formatCode ?? "");
      else if (name === "cellXfs") inCellStyles = true;
      else if (name === "xf" && inCellStyles) {
        const id = Number(attributes.numFmtId ?? 0);
        emit(styleOf(id, custom.get(id)));
      }
    },
    close(name) {
      if (name === "cellXfs") inCellStyles = false;
    },
  };
}

/** What a workbook says of its sheets. */
export type BookItem = ({ kind: "sheet"; relation: string } & SheetInfo) | { kind: "from1904" };

export const bookEvents = (emit: (item: BookItem) => void): XmlEvents => ({
  open(name, attributes) {
    if (name === "sheet")
      emit({
        kind: "sheet",
        relation: attributeOf(attributes, "id") ?? "",
        name: attributes.name ?? "",
        isHidden: /hidden/i.test(attributes.state ?? ""),
      });
    else if (name === "workbookPr" && /^(1|true)$/.test(attributes.date1904 ?? "")) emit({ kind: "from1904" });
  },
});

export const relationEvents = (emit: (relation: { id: string; target: string }) => void): XmlEvents => ({
  open(name, { Id, Target }) {
    if (name === "Relationship" && Id && Target) emit({ id: Id, target: Target });
  },
});

/** "C7" is column 2. */
function columnOf(reference: string | undefined, fallback: number): number {
  const letters = reference ? /^[A-Z]{1,3}(?![A-Z])/.exec(reference)?.[0] : undefined;
  if (!letters) return fallback;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** Cells of one row: far more than an import has columns, far fewer than a sheet may have. */
const MAX_ROW_CELLS = 1_000;

export type SheetContext = {
  strings: readonly string[];
  styles: readonly CellStyle[];
  from1904: boolean;
  notes: FileNotes;
};

function cellText({ t: type, s: style }: Attributes, raw: string, context: SheetContext): string {
  if (type === "inlineStr" || type === "str") return unescapeText(raw);
  if (raw === "") return "";
  if (type === "s") return context.strings[Number(raw)] ?? "";
  if (type === "b") return raw === "1" ? "true" : "false";
  if (type === "d") return raw;
  return shownNumber(raw, context.styles[Number(style ?? 0)] ?? PLAIN, context.from1904);
}

/** Rows of a sheet, by Excel's own limit. */
const MAX_LINE = 1_048_576;

function lineOf(reference: string | undefined): number | undefined {
  const line = Number(reference);
  return Number.isInteger(line) && line >= 1 && line <= MAX_LINE ? line : undefined;
}

/** One row as it is read: `next` is the place of a cell that does not say where it is. */
class Row {
  readonly cells: SourceCell[] = [];
  #next = 0;
  #chars = 0;

  constructor(readonly line: number) {}

  /** @throws AppError for a row of too many cells or characters: a few bytes of a workbook can stand for many. */
  put(reference: string | undefined, text: SourceCell): void {
    const column = columnOf(reference, this.#next);
    this.#next = column + 1;
    if (text === "") return;
    if (column >= MAX_ROW_CELLS)
      throw new AppError(
        "payload_too_large",
        `Row ${this.line} of the sheet has a cell beyond column ${MAX_ROW_CELLS}.`,
      );
    this.#chars += text?.length ?? 0;
    if (this.#chars > MAX_RECORD_CHARS) throw badFile("holds a row of over a million characters");
    while (this.cells.length < column) this.cells.push("");
    this.cells[column] = text;
  }
}

/** The rows of a sheet; gaps between cells are blank, a row may end early. */
export function rowEvents(context: SheetContext): (emit: (row: RawRecord) => void) => XmlEvents {
  return (emit) => {
    let row = new Row(0);
    let cell: Attributes = {};
    let raw = "";
    let isText = false;
    let phonetic = 0;
    let hasFormula = false;
    return {
      open(name, attributes) {
        if (name === "row") row = new Row(lineOf(attributes.r) ?? row.line + 1);
        else if (name === "c") {
          cell = attributes;
          raw = "";
          hasFormula = false;
        } else if (name === "rPh") phonetic++;
        else if (name === "f") hasFormula = true;
        else isText = phonetic === 0 && name === (cell.t === "inlineStr" ? "t" : "v");
      },
      close(name) {
        isText = false;
        if (name === "rPh") phonetic--;
        else if (name === "c") {
          const isError = cell.t === "e" && raw !== "";
          const isFormula = hasFormula && raw === "" && cell.t !== "str";
          if (isError || isFormula) context.notes.add(isError ? "error" : "formula", cell.r ?? `row ${row.line}`);
          row.put(cell.r, isError || isFormula ? null : cellText(cell, raw, context).trim());
        } else if (name === "row") emit({ line: row.line, cells: row.cells });
      },
      text(piece) {
        if (isText) raw += piece;
      },
    };
  };
}
