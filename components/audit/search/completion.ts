import { FILTERS, type Filter } from "@/server/audit/query/catalogue";
import { byQualifier, TIME_QUALIFIERS } from "./query-text";

/** A suggestion under the search box: the replacement for the word being typed, and its explanation. */
export type Suggestion = { insert: string; label: string; hint: string };

/** Qualifiers of filters and times; one that can only exclude gets a minus. */
const QUALIFIERS: readonly Suggestion[] = [
  ...Object.entries<Filter>(FILTERS).flatMap(([name, { qualifier, hint = "" }]) => {
    if (!qualifier) return [];
    const label = byQualifier(qualifier, false)?.[0] === name ? `${qualifier}:` : `-${qualifier}:`;
    return [{ insert: label, label, hint }];
  }),
  ...Object.entries(TIME_QUALIFIERS).map(([name, hint]) => ({ insert: `${name}:`, label: `${name}:`, hint })),
];

const MAX_SUGGESTIONS = 8;

/** The last word typed; a quoted phrase counts as one word. */
export const lastWord = (typed: string): string => /(?:[^\s"]|"[^"]*"?)*$/.exec(typed)?.[0] ?? "";

/** The qualifier whose value is being typed, and the value so far; null if there is none. */
export function typedValue(typed: string): { qualifier: string; part: string; minus: string } | null {
  const found = /^(-?)([a-z]+):"?([^"]*)$/i.exec(lastWord(typed));
  return found ? { minus: found[1] ?? "", qualifier: (found[2] ?? "").toLowerCase(), part: found[3] ?? "" } : null;
}

const quoted = (value: string): string => (/\s/.test(value) ? `"${value}"` : value);

/**
 * Suggestions for the text being typed.
 * @param known values that occur in the log, by qualifier, as counted by the facets
 */
export function suggestionsFor(typed: string, known: Record<string, { value: string; hint: string }[]>): Suggestion[] {
  const typedValueNow = typedValue(typed);
  const word = lastWord(typed).toLowerCase();
  if (!typedValueNow) return QUALIFIERS.filter(({ label }) => label.startsWith(word));
  const { qualifier, part, minus } = typedValueNow;
  const [, filter] = byQualifier(qualifier, minus !== "") ?? [];
  if (!filter) return [];
  const { choices } = filter;
  const values = choices ? Object.entries(choices).map(([value, hint]) => ({ value, hint })) : (known[qualifier] ?? []);
  const fits = (text: string) => text.toLowerCase().includes(part.toLowerCase());
  return values
    .filter(({ value, hint }) => (fits(value) || fits(hint)) && value !== part)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ value, hint }) => ({ insert: `${minus}${qualifier}:${quoted(value)} `, label: value, hint }));
}

/** The typed text with its last word replaced. */
export const complete = (typed: string, { insert }: Suggestion): string =>
  typed.slice(0, typed.length - lastWord(typed).length) + insert;
