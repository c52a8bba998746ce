import { distance } from "fastest-levenshtein";
import { normaliseHeader } from "@/server/custom-fields/import/normalise";

/** Possible target of a source column: an identifier or an existing definition. */
export type Target = { id: string; names: readonly string[]; aliases?: readonly string[] };
/** sure: equal after normalization, or a known alias. guess: at most two typos away. */
type Guess = { target: string; certainty: "sure" | "guess" };
/** The preselected target, and all free targets, likeliest first. */
export type ColumnGuess = { preselected: Guess | null; ranked: string[] };

/** Maximum edit distance of a preselected (and marked) target. */
export const MAX_GUESS_DISTANCE = 2;

type Pair = { column: number; target: string; rank: number };

/** A target with its names normalized once, because columns times definitions are many. */
type Candidate = { id: string; names: readonly string[]; aliases: readonly string[] };

const toCandidate = ({ id, names, aliases = [] }: Target): Candidate => ({
  id,
  names: names.map(normaliseHeader),
  aliases: aliases.map(normaliseHeader),
});

/** Typos between a name and a title; Infinity if their lengths differ too much, or the name is empty. */
function errorsBetween(name: string, title: string): number {
  if (Math.abs(name.length - title.length) > MAX_GUESS_DISTANCE) return Infinity;
  const errors = distance(name, title);
  return errors < name.length ? errors : Infinity;
}

/** 0 equal, 1 alias, 2 and 3 for one and two typos; null for no preselection. */
function rankOf(title: string, { names, aliases }: Candidate): number | null {
  if (names.includes(title)) return 0;
  if (aliases.includes(title)) return 1;
  const nearest = Math.min(...names.map((name) => errorsBetween(name, title)));
  return nearest <= MAX_GUESS_DISTANCE && nearest < title.length ? 1 + nearest : null;
}

/** Share of common letter pairs (Dice), to rank targets that are not preselected. */
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

const bestLikeness = (title: string, { names, aliases }: Candidate): number =>
  Math.max(...[...names, ...aliases].map((name) => likeness(title, name)));

/** Target ids, likeliest first. */
function ranking(title: string, candidates: readonly Candidate[]): string[] {
  const scored = candidates.map((candidate) => ({ id: candidate.id, score: bestLikeness(title, candidate) }));
  return scored.sort((a, b) => b.score - a.score).map(({ id }) => id);
}

/**
 * Likely target of each source column. A target goes to one column at most: the surest, then the leftmost. `reserved`
 * targets are never proposed.
 */
export function guessMapping(
  columns: readonly string[],
  targets: readonly Target[],
  reserved: ReadonlySet<string> = new Set(),
): ColumnGuess[] {
  const titles = columns.map(normaliseHeader);
  const open = targets.filter((target) => !reserved.has(target.id)).map(toCandidate);
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
    return {
      preselected,
      // Computed on demand: most callers only need the preselection.
      get ranked() {
        const free = open.filter(({ id }) => !taken.has(id));
        return [...(preselected ? [preselected.target] : []), ...ranking(title, free)];
      },
    };
  });
}
