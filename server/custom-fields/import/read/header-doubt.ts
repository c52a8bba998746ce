import { normaliseHeader } from "@/server/custom-fields/import/normalise";
import type { Preset } from "@/server/custom-fields/import/presets/preset";
import { identifierOf } from "./table-shape";

/** Rows below the header that it is compared with. */
const COMPARED = 30;
const MIN_COMPARED = 2;
const MIN_ALIKE = 0.6;

/** A cell's shape: WS-001 and PC-17 are both a-9. */
const shapeOf = (cell: string): string =>
  cell
    .trim()
    .replace(/\p{N}+/gu, "9")
    .replace(/\p{L}+/gu, "a");

function isLikeBelow(title: string, below: readonly string[]): boolean {
  const filled = below.filter((cell) => cell.trim() !== "");
  if (title.trim() === "" || filled.length < MIN_COMPARED) return false;
  if (filled.some((cell) => cell.trim().toLowerCase() === title.trim().toLowerCase())) return true;
  const shape = shapeOf(title);
  if (!shape.includes("9")) return false;
  return filled.filter((cell) => shapeOf(cell) === shape).length >= filled.length * MIN_ALIKE;
}

/**
 * Whether the row taken for the header may be a row of values: no cell of it is a title that the product is known for,
 * and one looks like the cells below it, or stands among them.
 */
export function isHeaderDoubtful(records: readonly (readonly string[])[], headerRow: number, preset: Preset): boolean {
  const titles = records[headerRow - 1] ?? [];
  const known = new Set([...preset.fieldColumn, ...preset.valueColumn, ...preset.ignored].map(normaliseHeader));
  if (titles.some((title) => identifierOf(title, preset) || known.has(normaliseHeader(title)))) return false;
  const below = records.slice(headerRow, headerRow + COMPARED);
  return titles.some((title, i) =>
    isLikeBelow(
      title,
      below.map((cells) => cells[i] ?? ""),
    ),
  );
}
