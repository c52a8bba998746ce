import { distance } from "fastest-levenshtein";
import { normaliseHeader } from "@/server/custom-fields/import/normalise";

/** Possible target of a source column: an identifier or an existing definition. */
export type Target = { id: string; names: readonly string[]; aliases?: readonly string[] };
/** sure: equal after normalization, or a known alias. guess: at most two typos away. */
export type Guess = { target: string; certainty: "sure" | "guess" };

/** Maximum edit distance of a preselected (and marked) target. */
const MAX_GUESS_DISTANCE = 2;

type Pair = { column: number; target: string; rank: number };

/** Typos between a name and a title; Infinity if their lengths differ too much, or the name is empty. */
function errorsBetween(name: string, title: string): number {
  if (Math.abs(name.length - title.length) > MAX_GUESS_DISTANCE) return Infinity;
  const errors = distance(name, title);
  return errors < name.length ? errors : Infinity;
}

/** 0 equal, 1 alias, 2 and 3 for one and two typos; null for no preselection. */
function rankOf(title: string, { names, aliases }: Target): number | null {
  if (names.includes(title)) return 0;
  if (aliases?.includes(title)) return 1;
  const nearest = Math.min(...names.map((name) => errorsBetween(name, title)));
  return nearest <= MAX_GUESS_DISTANCE && nearest < title.length ? 1 + nearest : null;
}

/**
 * Likely target of each source column, null where none is preselected. A target goes to one column at most: the surest,
 * then the leftmost.
 */
export function guessMapping(columns: readonly string[], targets: readonly Target[]): (Guess | null)[] {
  const titles = columns.map(normaliseHeader);
  // Normalized once, because columns times definitions are many.
  const open = targets.map(({ id, names, aliases = [] }) => ({
    id,
    names: names.map(normaliseHeader),
    aliases: aliases.map(normaliseHeader),
  }));
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
  return titles.map((_, column) => chosen.get(column) ?? null);
}
