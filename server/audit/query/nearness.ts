import { distance } from "fastest-levenshtein";

/** Of so many letters at least a word may have one wrong, and two. */
const ONE_WRONG = 3;
const TWO_WRONG = 6;

/** The letters of a word with neighbours exchanged, as fast fingers do: "jnae". */
const isExchanged = (typed: string, word: string): boolean =>
  typed.length === word.length &&
  [...typed].sort().join("") === [...word].sort().join("") &&
  distance(typed, word) === 2;

/**
 * How far a typed word is from a known one, which it may be a mistyped form of: 1 or 2; null where they are too different, or
 * the same. Isomorphic.
 */
export function nearness(typed: string, word: string): number | null {
  const [a, b] = [typed.toLowerCase(), word.toLowerCase()];
  if (Math.abs(a.length - b.length) > 2 || a.length < ONE_WRONG || a === b) return null;
  const far = isExchanged(a, b) ? 1 : distance(a, b);
  return far <= (Math.min(a.length, b.length) >= TWO_WRONG ? 2 : 1) ? far : null;
}
