import { distance } from "fastest-levenshtein";
import { normaliseHeader } from "@/server/custom-fields/import/normalise";

/** Something that a source column may be mapped to: an identifier or an existing definition. */
export type Target = { id: string; names: readonly string[]; aliases?: readonly string[] };
/** sure: equal after normalising, or a curated alias. guess: at most two typing errors away. */
type Guess = { target: string; certainty: "sure" | "guess" };
/** preselected, and every target that is still free, likeliest first. */
export type ColumnGuess = { preselected: Guess | null; ranked: string[] };

/** Edit distance up to which a target is preselected (and marked). */
export const MAX_GUESS_DISTANCE = 2;

type Pair = { column: number; target: string; rank: number };

/** 0 equal, 1 alias, 2 and 3 one and two errors away; null when nothing is to be preselected. */
function rankOf(title: string, target: Target): number | null {
  const names = target.names.map(normaliseHeader);
  if (names.includes(title)) return 0;
  if (target.aliases?.some((alias) => normaliseHeader(alias) === title)) return 1;
  const nearest = Math.min(...names.map((name) => (distance(name, title) < name.length ? distance(name, title) : 99)));
  return nearest <= MAX_GUESS_DISTANCE && nearest < title.length ? 1 + nearest : null;
}

/** Share of pairs of letters in common (Dice), for ordering what is not preselected. */
function likeness(a: string, b: string): number {
  if (a.length < 2 || b.length < 2) return a === b ? 1 : 0;
  const pairs = new Map<string, number>();
  for (let i = 0; i < a.length - 1; i++) pairs.set(a.slice(i, i + 2), (pairs.get(a.slice(i, i + 2)) ?? 0) + 1);
  let common = 0;
  for (let i = 0; i < b.length - 1; i++) {
    const left = pairs.get(b.slice(i, i + 2)) ?? 0;
    if (left > 0) common++;
    pairs.set(b.slice(i, i + 2), left - 1);
  }
  return (2 * common) / (a.length + b.length - 2);
}

const bestLikeness = (title: string, target: Target): number =>
  Math.max(...[...target.names, ...(target.aliases ?? [])].map((name) => likeness(title, normaliseHeader(name))));

/**
 * Which target each source column is likely to mean. Every target is given to one column at most: to the surest,
 * among equals to the leftmost. `reserved` targets are never proposed.
 */
export function guessMapping(
  columns: readonly string[],
  targets: readonly Target[],
  reserved: ReadonlySet<string> = new Set(),
): ColumnGuess[] {
  const titles = columns.map(normaliseHeader);
  const open = targets.filter((target) => !reserved.has(target.id));
  const pairs: Pair[] = [];
  titles.forEach((title, column) => {
    for (const target of open) {
      const rank = rankOf(title, target);
      if (rank !== null) pairs.push({ column, target: target.id, rank });
    }
  });
  pairs.sort((a, b) => a.rank - b.rank || a.column - b.column);
  const chosen = new Map<number, Guess>();
  const taken = new Set<string>();
  for (const { column, target, rank } of pairs) {
    if (chosen.has(column) || taken.has(target)) continue;
    chosen.set(column, { target, certainty: rank <= 1 ? "sure" : "guess" });
    taken.add(target);
  }
  return titles.map((title, column) => {
    const preselected = chosen.get(column) ?? null;
    const free = open.filter((target) => !taken.has(target.id) || target.id === preselected?.target);
    const scored = free.map((target) => ({ id: target.id, score: bestLikeness(title, target) }));
    scored.sort((a, b) => b.score - a.score);
    const first = preselected ? [preselected.target] : [];
    return { preselected, ranked: [...first, ...scored.map((s) => s.id).filter((id) => id !== preselected?.target)] };
  });
}
