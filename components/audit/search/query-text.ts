import { excluding } from "@/components/audit/state/narrow";
import { exclusionsOf, type Filters, type View } from "@/components/audit/state/view";
import { type Exclusion, FILTERS, type Filter, faultOf } from "@/server/audit/query/catalogue";
import { joinValues, networkOf, splitValues } from "@/server/audit/query/values";

/** Time qualifiers: they set the range. */
export const TIME_QUALIFIERS = {
  on: "a day or period: yesterday, last tuesday, oct 2026, 2026-11-18",
  after: "from the start of a day or period, or from a point in time",
  before: "until the start of a day or period, or until a point in time",
} as const;

/** "-action:" followed by comma-separated values; quoted ones may contain spaces. */
const QUALIFIER = /(?:^|(?<=\s))(-?[a-z]+):((?:"[^"]*"|[^\s"])+)/gi;
/** "-word" or "-\"a phrase\"". An unknown "-qualifier:" is left in the text, to be reported. */
const EXCLUDED_WORD = /(?:^|(?<=\s))-("[^"]+"|(?![a-z]{2,}:\S)[^\s"-]\S*)/gi;

/** The filter of a qualifier; after a minus, only one that can be negated. */
export const byQualifier = (qualifier: string, isNegated: boolean): [name: string, filter: Filter] | undefined =>
  Object.entries<Filter>(FILTERS).find(([, f]) => f.qualifier === qualifier && (!isNegated || f.negatable));

/** Other words for results. */
const RESULT_WORDS: Readonly<Record<string, string>> = {
  failed: "failure",
  fail: "failure",
  error: "failure",
  refused: "denied",
  forbidden: "denied",
  ok: "success",
  succeeded: "success",
  successful: "success",
};
/** A choice may be typed as its code or label, in any case, and a result by a synonym. */
function choiceOf({ choices }: Filter, typed: string): string | undefined {
  if (!choices) return typed;
  const word = typed.toLowerCase();
  const known = Object.entries(choices).find((names) => names.some((name) => name.toLowerCase() === word))?.[0];
  const other = RESULT_WORDS[word];
  return known ?? (other && Object.hasOwn(choices, other) ? other : undefined);
}
const isValid = (filter: Filter, value: string | undefined): value is string =>
  value !== undefined && faultOf(filter, value) === null;

export type Parsed = Partial<Filters & Pick<View, "typed" | "orgId">>;

/**
 * Parses the text of the search box: `actor:jane result:failure,denied printer` becomes two filters and the text
 * "printer". A repeated qualifier matches either value, a minus excludes. Other words with a colon (a time, a path)
 * stay text; a network in CIDR notation filters by address.
 */
export function parseQuery(typed: string): Parsed {
  const wanted = new Map<string, string[]>();
  const excluded: Exclusion[] = [];
  const rest = typed.replace(QUALIFIER, (whole, word: string, list: string) => {
    const isExcluded = word.startsWith("-");
    const [name, filter] = byQualifier(word.replace("-", "").toLowerCase(), isExcluded) ?? [];
    const values = filter ? splitValues(list).map((value) => choiceOf(filter, value)) : [];
    if (!name || !filter || values.length === 0 || !values.every((value) => isValid(filter, value))) return whole;
    const known = values.filter((value) => value !== undefined);
    if (isExcluded) excluded.push(...known.map((value) => ({ name, value })));
    else wanted.set(name, [...(wanted.get(name) ?? []), ...known]);
    return " ";
  });
  const text = rest
    .replace(EXCLUDED_WORD, (_, word: string) => {
      excluded.push({ name: "q", value: word });
      return " ";
    })
    .replace(/\S+/g, (word) => {
      if (!networkOf(word)) return word;
      wanted.set("ip", [...(wanted.get("ip") ?? []), word]);
      return " ";
    });
  const filters = [...wanted].map(([name, values]) => [name, joinValues(values)]);
  const q = text.replace(/\s+/g, " ").trim();
  return { ...Object.fromEntries(filters), ...(excluded.length > 0 && excluding(excluded)), q: q || null };
}

/** The view change that adds the values and exclusions of a query to the current filters, and replaces the words. */
export function applyQuery(view: Partial<Filters>, { q, exclude, excludeActions, ...wanted }: Parsed): Parsed {
  const values = Object.entries(wanted).map(([name, list]) => {
    const before = new Map<string, unknown>(Object.entries(view)).get(name);
    const all = [...splitValues(typeof before === "string" ? before : ""), ...splitValues(String(list))];
    return [name, joinValues(all)];
  });
  return {
    ...Object.fromEntries(values),
    ...excluding([...exclusionsOf(view), ...exclusionsOf({ exclude, excludeActions })]),
    q: q ?? null,
  };
}
