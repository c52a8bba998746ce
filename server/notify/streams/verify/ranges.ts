/** Sequences from one through another. */
export type Range = { first: number; last: number };

export function merge(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  const sorted = ranges.filter(({ first, last }) => first <= last).sort((a, b) => a.first - b.first);
  for (const { first, last } of sorted) {
    const open = merged.at(-1);
    if (open && first <= open.last + 1) open.last = Math.max(open.last, last);
    else merged.push({ first, last });
  }
  return merged;
}

export const runsOf = (sequences: Iterable<number>): Range[] =>
  merge([...sequences].map((seq) => ({ first: seq, last: seq })));

/** Part of some ranges outside others. */
export function subtract(ranges: readonly Range[], without: readonly Range[]): Range[] {
  const holes = merge(without);
  const left: Range[] = [];
  let from = 0;
  for (const { first, last } of merge(ranges)) {
    while ((holes[from]?.last ?? Number.POSITIVE_INFINITY) < first) from++;
    let at = first;
    for (let i = from; (holes[i]?.first ?? Number.POSITIVE_INFINITY) <= last; i++) {
      const hole = holes[i] ?? { first, last };
      if (hole.first > at) left.push({ first: at, last: hole.first - 1 });
      at = Math.max(at, hole.last + 1);
    }
    if (at <= last) left.push({ first: at, last });
  }
  return left;
}

/** "4,812", "4,812 to 4,815". */
export const rangeText = ({ first, last }: Range): string => (first === last ? `${first}` : `${first} to ${last}`);
