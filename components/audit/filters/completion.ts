import { ACTOR_TYPE_LABEL, CATEGORY_LABEL, RESULT_LABEL } from "@/server/audit/vocabulary";
import { canNegate } from "./query-text";

/** A line under the search box: what it puts in the place of the word that is being typed, and what that means. */
export type Suggestion = { insert: string; label: string; hint: string };

const QUALIFIERS: [string, string][] = [
  ["actor:", "part of a name or an e-mail address"],
  ["action:", "part of a code, such as device.create"],
  ["-action:", "leave an action out"],
  ["resource:", "part of a name or a kind"],
  ["device:", "part of a hostname: entries about it and by its agent"],
  ["ip:", "an address, or the beginning of some"],
  ["result:", "success, failure or denied"],
  ["category:", "device, policy, authentication …"],
  ["type:", "user, API key, agent, system or AI agent"],
];

const CHOICES: Record<string, Record<string, string>> = {
  result: RESULT_LABEL,
  category: CATEGORY_LABEL,
  type: ACTOR_TYPE_LABEL,
};
const MOST = 8;

/** The word at the end of what is typed; quotes keep a phrase together. */
export const lastWord = (typed: string): string => /(?:[^\s"]|"[^"]*"?)*$/.exec(typed)?.[0] ?? "";

/** The qualifier that is being given a value, and as much of it as is typed; null while no qualifier is. */
export function valueBeing(typed: string): { name: string; part: string; minus: string } | null {
  const found = /^(-?)([a-z]+):"?([^"]*)$/i.exec(lastWord(typed));
  return found ? { minus: found[1] ?? "", name: (found[2] ?? "").toLowerCase(), part: found[3] ?? "" } : null;
}

const quoted = (value: string): string => (/\s/.test(value) ? `"${value}"` : value);

/**
 * What can follow what is typed. known: values that the log holds, by qualifier, as the facets tell them.
 */
export function suggestionsFor(typed: string, known: Record<string, { value: string; hint: string }[]>): Suggestion[] {
  const being = valueBeing(typed);
  const word = lastWord(typed).toLowerCase();
  if (!being)
    return QUALIFIERS.filter(([name]) => name.startsWith(word)).map(([name, hint]) => ({
      insert: name,
      label: name,
      hint,
    }));
  const { name, part, minus } = being;
  if (minus && !canNegate(name)) return [];
  const choices = CHOICES[name];
  const values = choices ? Object.entries(choices).map(([value, hint]) => ({ value, hint })) : (known[name] ?? []);
  const fits = (text: string) => text.toLowerCase().includes(part.toLowerCase());
  return values
    .filter(({ value, hint }) => (fits(value) || fits(hint)) && value !== part)
    .slice(0, MOST)
    .map(({ value, hint }) => ({ insert: `${minus}${name}:${quoted(value)} `, label: value, hint }));
}

/** What is typed with its last word replaced. */
export const complete = (typed: string, { insert }: Suggestion): string =>
  typed.slice(0, typed.length - lastWord(typed).length) + insert;
