import { type Catalogue, FILTERS } from "@/server/audit/query/catalogue";
import { byQualifier, TIME_QUALIFIERS } from "./query-text";

/** A line under the search box: what replaces the word that is being typed, and what that means. */
export type Suggestion = { insert: string; label: string; hint: string };

/** The words before a colon; a filter that only excludes by its word has a minus. */
const qualifiersOf = (catalogue: Catalogue): Suggestion[] =>
  Object.entries(catalogue).flatMap(([name, { qualifier, hint = "" }]) => {
    if (!qualifier) return [];
    const label = byQualifier(qualifier, false, catalogue)?.[0] === name ? `${qualifier}:` : `-${qualifier}:`;
    return [{ insert: label, label, hint }];
  });

const OF_TIME: readonly Suggestion[] = Object.entries(TIME_QUALIFIERS).map(([name, hint]) => ({
  insert: `${name}:`,
  label: `${name}:`,
  hint,
}));

const MAX_SUGGESTIONS = 8;

/** The word at the end of what is typed; quotes keep a phrase together. */
export const lastWord = (typed: string): string => /(?:[^\s"]|"[^"]*"?)*$/.exec(typed)?.[0] ?? "";

/** The qualifier that is being given a value, and as much of it as is typed; null while no qualifier is. */
export function valueBeing(typed: string): { qualifier: string; part: string; minus: string } | null {
  const found = /^(-?)([a-z]+):"?([^"]*)$/i.exec(lastWord(typed));
  return found ? { minus: found[1] ?? "", qualifier: (found[2] ?? "").toLowerCase(), part: found[3] ?? "" } : null;
}

const quoted = (value: string): string => (/\s/.test(value) ? `"${value}"` : value);

/**
 * What can follow what is typed. known: values that the log holds, by qualifier, as the facets count them.
 */
export function suggestionsFor(
  typed: string,
  known: Record<string, { value: string; hint: string }[]>,
  catalogue: Catalogue = FILTERS,
): Suggestion[] {
  const being = valueBeing(typed);
  const word = lastWord(typed).toLowerCase();
  if (!being) return [...qualifiersOf(catalogue), ...OF_TIME].filter(({ label }) => label.startsWith(word));
  const { qualifier, part, minus } = being;
  const [, filter] = byQualifier(qualifier, minus !== "", catalogue) ?? [];
  if (!filter) return [];
  const { choices } = filter;
  const values = choices ? Object.entries(choices).map(([value, hint]) => ({ value, hint })) : (known[qualifier] ?? []);
  const fits = (text: string) => text.toLowerCase().includes(part.toLowerCase());
  return values
    .filter(({ value, hint }) => (fits(value) || fits(hint)) && value !== part)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ value, hint }) => ({ insert: `${minus}${qualifier}:${quoted(value)} `, label: value, hint }));
}

/** What is typed with its last word replaced. */
export const complete = (typed: string, { insert }: Suggestion): string =>
  typed.slice(0, typed.length - lastWord(typed).length) + insert;
