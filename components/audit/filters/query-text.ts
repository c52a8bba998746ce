import { type Catalogue, type Exclusion, FILTERS, type Filter } from "@/server/audit/query/catalogue";
import type { Filters } from "./address";
import { excluding, exclusionsOf } from "./narrow";

/** "-action:", then a word or a quoted phrase. */
const QUALIFIER = /(?:^|\s)(-?)([a-z]+):(?:"([^"]*)"|(\S+))/gi;

/** The filter that a qualifier means; after a minus one that can exclude. */
export const byQualifier = (
  qualifier: string,
  isNegated: boolean,
  catalogue: Catalogue = FILTERS,
): [name: string, filter: Filter] | undefined =>
  Object.entries(catalogue).find(([, f]) => f.qualifier === qualifier && (!isNegated || f.negatable));

const choiceOf = ({ choices }: Filter, typed: string): string | undefined =>
  choices ? Object.keys(choices).find((choice) => choice === typed.toLowerCase()) : typed;

export type Parsed = Partial<Filters>;

/**
 * What is typed into the search box, taken apart: `actor:jane result:denied printer` becomes two filters and the text
 * "printer". Words with a colon that are no qualifiers (a time, a path) stay text.
 */
export function parseQuery(typed: string, catalogue: Catalogue = FILTERS): Parsed {
  const parsed: Record<string, string> = {};
  const excluded: Exclusion[] = [];
  const rest = typed.replace(QUALIFIER, (whole, minus: string, word: string, phrase?: string, bare?: string) => {
    const [name, filter] = byQualifier(word.toLowerCase(), minus === "-", catalogue) ?? [];
    const value = filter && choiceOf(filter, (phrase ?? bare ?? "").trim());
    if (!name || !value) return whole;
    if (minus) excluded.push({ name, value });
    else parsed[name] = value;
    return " ";
  });
  const q = rest.replace(/\s+/g, " ").trim();
  return { ...parsed, ...(excluded.length > 0 && excluding(excluded)), q: q || null };
}

/** The change of the address that a query makes: its filters replace theirs, its exclusions are added. */
export const applyQuery = (view: Partial<Filters>, typed: string): Parsed => {
  const parsed = parseQuery(typed);
  return { ...parsed, ...excluding([...exclusionsOf(view), ...exclusionsOf(parsed)]) };
};
