import { ACTOR_TYPES, CATEGORIES, type Filters, RESULTS } from "./filters";

const TEXT = ["actor", "action", "resource"] as const;
const CHOICES = { result: RESULTS, category: CATEGORIES, type: ACTOR_TYPES } as const;

/** "-action:", then a word or a quoted phrase. */
const QUALIFIER = /(?:^|\s)(-?)([a-z]+):(?:"([^"]*)"|(\S+))/gi;

export type Parsed = Partial<Filters>;

function take(parsed: Parsed, negated: boolean, name: string, value: string): boolean {
  if (negated) {
    if (name !== "action") return false;
    parsed.without = parsed.without ? `${parsed.without},${value}` : value;
    return true;
  }
  const textName = TEXT.find((t) => t === name);
  if (textName) {
    parsed[textName] = value;
    return true;
  }
  if (!(name in CHOICES)) return false;
  const choice = (CHOICES[name as keyof typeof CHOICES] as readonly string[]).find((c) => c === value.toLowerCase());
  if (choice) Object.assign(parsed, { [name]: choice });
  return Boolean(choice);
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
