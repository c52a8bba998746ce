import { nearness } from "@/server/audit/query/nearness";
import type { KnownName } from "@/server/audit/vocabulary";
import { VOCABULARY } from "./synonyms";

/** Words understood in a line: times and results. */
const READ =
  "today yesterday tonight morning afternoon evening night weekend monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december last past since before after until between hour hours minutes days week weeks month months year success successful failure failed denied refused rejected new address network browser unknown".split(
    " ",
  );
const MAX_SUGGESTIONS = 3;

/** Known words and names similar to a typed word, nearest first. */
export function suggestionsNear(typed: string, known: readonly KnownName[]): string[] {
  const names = known.flatMap(({ name, called }) =>
    called.map((one) => ({ word: name.toLowerCase().includes(one) ? name : one, far: nearness(typed, one) })),
  );
  const words = [...READ, ...VOCABULARY].map((word) => ({ word, far: nearness(typed, word) }));
  const near = [...names, ...words].filter(({ far }) => far !== null).sort((a, b) => (a.far ?? 0) - (b.far ?? 0));
  return [...new Set(near.map(({ word }) => word))].slice(0, MAX_SUGGESTIONS);
}
