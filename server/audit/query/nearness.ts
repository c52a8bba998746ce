import { distance } from "fastest-levenshtein";

/** Minimum letters of a word with one typo, and with two. */
const ONE_WRONG = 3;
const TWO_WRONG = 6;

/** True if two neighboring letters are swapped: "jnae". */
const isExchanged = (typed: string, word: string): boolean =>
  typed.length === word.length &&
  [...typed].sort().join("") === [...word].sort().join("") &&
  distance(typed, word) === 2;

/** Distance of a typed word from a known one: 1 or 2; null if they are equal or too different. Isomorphic. */
export function nearness(typed: string, word: string): number | null {
  const [a, b] = [typed.toLowerCase(), word.toLowerCase()];
  if (Math.abs(a.length - b.length) > 2 || a.length < ONE_WRONG || a === b) return null;
  const far = isExchanged(a, b) ? 1 : distance(a, b);
  return far <= (Math.min(a.length, b.length) >= TWO_WRONG ? 2 : 1) ? far : null;
}
