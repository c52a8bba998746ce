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

/** A target by its normalised names: columns times definitions are many, so that each is normalised once. */
type Candidate = { id: string; names: readonly string[]; aliases: readonly string[] };

const toCandidate = ({ id, names, aliases = [] }: Target): Candidate => ({
  id,
  names: names.map(normaliseHeader),
  aliases: aliases.map(normaliseHeader),
});

/** Typing errors between a name and a title; Infinity where their lengths alone rule them out, or nothing of the name is left. */
function errorsBetween(name: string, title: string): number {
  if (Math.abs(name.length - title.length) > MAX_GUESS_DISTANCE) return Infinity;
  const errors = distance(name, title);
  return errors < name.length ? errors : Infinity;
}

/** 0 equal, 1 alias, 2 and 3 one and two errors away; null when nothing is to be preselected. */
function rankOf(title: string, { names, aliases }: Candidate): number | null {
  if (names.includes(title)) return 0;
  if (aliases.includes(title)) return 1;
  const nearest = Math.min(...names.map((name) => errorsBetween(name, title)));
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

const bestLikeness = (title: string, { names, aliases }: Candidate): number =>
  Math.max(...[...names, ...aliases].map((name) => likeness(title, name)));

/** The ids of targets, likeliest first. */
function ranking(title: string, candidates: readonly Candidate[]): string[] {
  const scored = candidates.map((candidate) => ({ id: candidate.id, score: bestLikeness(title, candidate) }));
  return scored.sort((a, b) => b.score - a.score).map(({ id }) => id);
}

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
      // Worked out for who reads it: most ask for what is preselected alone.
      get ranked() {
        const free = open.filter(({ id }) => !taken.has(id));
        return [...(preselected ? [preselected.target] : []), ...ranking(title, free)];
      },
    };
  });
}
