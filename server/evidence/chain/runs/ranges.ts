import type { SeqRange } from "@/server/evidence/chain/copy-query";

/** Chains of so many rows are divided among threads, into ranges of so many. */
export type Division = { fromRows: number; rangeRows: number };

/**
 * A shorter chain is read on the connection at hand before threads would have started. A range is small enough that
 * threads end together, and large enough that a statement for each costs nothing.
 */
export const DIVISION: Division = { fromRows: 20_000, rangeRows: 50_000 };
/** On the connection at hand alone, which leaves the other cores to writers: for a verdict that no caller waits for. */
export const UNDIVIDED: Division = { fromRows: Number.POSITIVE_INFINITY, rangeRows: 1 };
/** A row that was given a sequence far beyond the others makes no more ranges than this. */
const MAX_RANGES = 1_000;

type Extent = { first: number; last: number };

/**
 * Divides a part of a chain among several readers. The first and the last range keep the part's own ends, open ones too.
 * @param first the smallest sequence that is there, `last` the largest
 */
export function rangesOf(part: SeqRange, { first, last }: Extent, rangeRows: number): SeqRange[] {
  const span = last - first + 1;
  const rows = Math.max(rangeRows, Math.ceil(span / MAX_RANGES));
  const count = Math.max(1, Math.ceil(span / rows));
  return Array.from({ length: count }, (_, i) => ({
    first: i === 0 ? part.first : first + i * rows,
    last: i === count - 1 ? part.last : first + (i + 1) * rows - 1,
  }));
}
