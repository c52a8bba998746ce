import { FILTERS, type Filter } from "@/server/audit/query/catalogue";
import { nearness } from "@/server/audit/query/nearness";
import { byQualifier, parseQuery, TIME_QUALIFIERS } from "./query-text";

/** Qualifiers of other products, mapped to ours. */
const ALIASES: Readonly<Record<string, string>> = {
  user: "actor",
  who: "actor",
  by: "actor",
  email: "actor",
  host: "device",
  hostname: "device",
  computer: "device",
  status: "result",
  outcome: "result",
  event: "action",
  target: "resource",
  address: "ip",
  source: "ip",
  since: "after",
  from: "after",
  until: "before",
  to: "before",
  date: "on",
  created: "on",
  time: "on",
};

/** The complement of each time qualifier: excluding "before" means "after". */
const OPPOSITE: Readonly<Record<string, string>> = { before: "after", after: "before" };

/** A part of the text that looks like a qualifier but is unknown or has an invalid value. */
export type InvalidQualifier = { part: string; reason: string; instead: string | null };

const LOOKS_QUALIFIED = /(?:^|(?<=\s))(-?)([a-z]{2,}):((?:"[^"]*"|[^\s"])+)/gi;

/** The closest known qualifier; null if none is close. */
function closest(word: string, known: readonly string[]): string | null {
  if (Object.hasOwn(ALIASES, word)) return ALIASES[word] ?? null;
  const near = known.map((name) => ({ name, far: nearness(word, name) })).filter(({ far }) => far !== null);
  return near.sort((a, b) => (a.far ?? 0) - (b.far ?? 0))[0]?.name ?? null;
}

/** The parts of a search that look like mistyped qualifiers. They were searched as plain text. */
export function invalidQualifiers(text: string): InvalidQualifier[] {
  const known = [
    ...Object.values<Filter>(FILTERS).flatMap(({ qualifier }) => qualifier ?? []),
    ...Object.keys(TIME_QUALIFIERS),
  ];
  return [...text.matchAll(LOOKS_QUALIFIED)].flatMap(
    ([part, minus = "", name = "", value = ""]): InvalidQualifier[] => {
      const word = name.toLowerCase();
      if (value.startsWith("//")) return [];
      const [, filter] = byQualifier(word, minus !== "") ?? [];
      // Only happens in a URL: the search box turns a valid qualifier into a filter.
      if (filter && parseQuery(part).q === null) return [{ part, reason: "is a filter", instead: part }];
      if (filter)
        return [{ part, reason: filter.choices ? `takes ${filter.hint}` : `does not take ${value}`, instead: null }];
      if (minus && word in TIME_QUALIFIERS)
        return [{ part, reason: "cannot be excluded", instead: OPPOSITE[word] ? `${OPPOSITE[word]}:${value}` : null }];
      if (word in TIME_QUALIFIERS) return [{ part, reason: `${value} is not a recognized time`, instead: null }];
      const other = closest(word, known);
      return [{ part, reason: "is not a filter", instead: other && `${minus}${other}:${value}` }];
    },
  );
}
