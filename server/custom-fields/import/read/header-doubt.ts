import { isMasked, namesSecret, normaliseHeader } from "@/server/custom-fields/import/normalise";
import type { Preset } from "@/server/custom-fields/import/presets";
import { identifierOf } from "./table-shape";

/** Rows below the header to compare it with. */
const COMPARED = 30;
const MIN_COMPARED = 2;
const MIN_ALIKE = 0.6;
/** Signs reported, and characters quoted of a cell. */
const MAX_DOUBTS = 4;
const SHOWN_CHARS = 40;

/** Shape of a cell: WS-001 and PC-17 are both a-9. */
const shapeOf = (cell: string): string =>
  cell
    .trim()
    .replace(/\p{N}+/gu, "9")
    .replace(/\p{L}+/gu, "a");

/** Reason that a title looks like a value of its column; null if it does not. */
function likeBelow(title: string, below: readonly string[]): string | null {
  const text = title.trim();
  const filled = below.map((cell) => cell.trim()).filter((cell) => cell !== "");
  if (text === "" || filled.length < MIN_COMPARED) return null;
  const name = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
  if (filled.some((cell) => cell.toLowerCase() === text.toLowerCase()))
    return `${name} stands among the values below it`;
  const shape = shapeOf(text);
  if (!shape.includes("9")) return null;
  const alike = filled.filter((cell) => shapeOf(cell) === shape).length;
  return alike >= filled.length * MIN_ALIKE
    ? `${name} looks like ${alike} of the ${filled.length} values below it`
    : null;
}

/**
 * Signs that the header is a row of values: no cell is a title known to the product, and some look like the cells below
 * or are among them. None: it is a header.
 */
export function headerDoubts(records: readonly (readonly string[])[], headerRow: number, preset: Preset): string[] {
  const titles = records[headerRow - 1] ?? [];
  const known = new Set([...preset.fieldColumn, ...preset.valueColumn, ...preset.ignored].map(normaliseHeader));
  if (titles.some((title) => identifierOf(title, preset) || known.has(normaliseHeader(title)))) return [];
  const below = records.slice(headerRow, headerRow + COMPARED);
  return titles
    .flatMap((title, i) => {
      const isSecret = namesSecret(title) || isMasked(title);
      const cells = below.map((cells) => cells[i] ?? "");
      return isSecret ? [] : (likeBelow(title, cells) ?? []);
    })
    .slice(0, MAX_DOUBTS);
}
