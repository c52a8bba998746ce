/** Hidden parts of a sheet in SheetJS form, which SheetJS does not read from OpenDocument files. */
export type Hidden = { isHidden: boolean; rows: Line[]; columns: Line[] };
type Line = { hidden: true };

const TAG = /<(\/?)table:(table|table-column|table-row)(?=[\s/>])([^<>]*)>/g;
const CELL = /<table:(table-row|(?:covered-)?table-cell)(?=[\s/>])([^<>]*)>/g;
const HIDDEN_STYLE = /<style:style ([^<>]*)>\s*<style:table-properties [^<>]*table:display="false"/g;
/** Equal rows or columns are written once with a repeat count. */
const repeats = (attributes: string): number =>
  Number(/table:number-(?:rows|columns)-repeated="(\d+)"/.exec(attributes)?.[1] ?? 1);
const isHidden = (attributes: string): boolean => /table:visibility="(?:collapse|filter)"/.test(attributes);
/** Maximum of rows in any program. */
const MAX_LINES = 1_048_576;

const HIDDEN: Line = { hidden: true };
function hide(lines: Line[], from: number, count: number): void {
  for (let i = from; i < Math.min(from + count, MAX_LINES); i++) lines[i] = HIDDEN;
}

/** Number of cells that SheetJS would create, repeats included. @param content the part content.xml. */
export function countCells(content: string): number {
  let [cells, rows] = [0, 1];
  for (const [, name, attributes = ""] of content.matchAll(CELL)) {
    if (name === "table-row") rows = repeats(attributes);
    else if (name === "covered-table-cell") cells += repeats(attributes);
    else if (!attributes.endsWith("/")) cells += rows * repeats(attributes);
  }
  return cells;
}

/** Hidden parts of each sheet, in order. @param content the part content.xml. */
export function hiddenParts(content: string): Hidden[] {
  const nameOf = (style = "") => /style:name="([^"]*)"/.exec(style)?.[1];
  const hiddenStyles = new Set([...content.matchAll(HIDDEN_STYLE)].map(([, style]) => nameOf(style)));
  const sheets: Hidden[] = [];
  let [row, column, rows] = [0, 0, 1];
  for (const [, end, name, attributes = ""] of content.matchAll(TAG)) {
    if (name === "table" && !end) {
      const style = /table:style-name="([^"]*)"/.exec(attributes)?.[1];
      sheets.push({ isHidden: hiddenStyles.has(style ?? ""), rows: [], columns: [] });
      [row, column] = [0, 0];
    }
    const sheet = sheets.at(-1);
    if (!sheet || (end && name !== "table-row")) continue;
    const count = repeats(attributes);
    if (name === "table-column") {
      if (isHidden(attributes)) hide(sheet.columns, column, count);
      column += count;
    } else if (name === "table-row" && !end) {
      if (isHidden(attributes)) hide(sheet.rows, row, count);
      rows = count;
    } else if (name === "table-row") row += rows;
  }
  return sheets;
}
