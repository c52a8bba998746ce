import { ACTOR_TYPES, CATEGORIES, RESULTS } from "@/server/audit/vocabulary";
import type { Filters } from "./filters";
import { exclusionsOf, type Field, toWithout } from "./narrow";

/** Qualifiers are named like the parameters that they become; these take any text. */
const TEXT = ["actor", "action", "resource", "device", "ip"] as const;
const CHOICES = { result: RESULTS, category: CATEGORIES, type: ACTOR_TYPES } as const;
/** What a minus in front may leave out. */
const NEGATED: Record<string, Field> = {
  action: "action",
  result: "result",
  category: "category",
  type: "type",
  ip: "ip",
};

export const canNegate = (name: string): boolean => Object.hasOwn(NEGATED, name);
export const QUALIFIERS: readonly string[] = [...TEXT, ...Object.keys(CHOICES)];

/** "-action:", then a word or a quoted phrase. */
const QUALIFIER = /(?:^|\s)(-?)([a-z]+):(?:"([^"]*)"|(\S+))/gi;

export type Parsed = Partial<Filters>;

const choiceOf = (name: string, value: string): string | undefined =>
  (CHOICES[name as keyof typeof CHOICES] as readonly string[] | undefined)?.find((c) => c === value.toLowerCase());

function take(parsed: Parsed, negated: boolean, name: string, typed: string): boolean {
  const value = name in CHOICES ? choiceOf(name, typed) : typed;
  if (!value) return false;
  if (negated) {
    const field = NEGATED[name];
    if (field) parsed.without = toWithout([...exclusionsOf(parsed.without ?? null), { field, value }]);
    return Boolean(field);
  }
  if (!QUALIFIERS.includes(name)) return false;
  Object.assign(parsed, { [name]: value });
  return true;
}

/**
 * What is typed into the search box, taken apart: `actor:jane result:denied printer` becomes two filters and the text
 * "printer". Words with a colon that are no qualifier of ours (a time, a path) stay text.
 */
export function parseQuery(typed: string): Parsed {
  const parsed: Parsed = {};
  const rest = typed.replace(QUALIFIER, (whole, minus: string, name: string, quoted?: string, word?: string) => {
    const value = (quoted ?? word ?? "").trim();
    return value && take(parsed, minus === "-", name.toLowerCase(), value) ? " " : whole;
  });
  const q = rest.replace(/\s+/g, " ").trim();
  return { ...parsed, q: q || null };
}
