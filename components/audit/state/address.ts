import {
  createLoader,
  createParser,
  type inferParserType,
  parseAsBoolean,
  parseAsString,
  parseAsStringLiteral,
  type SingleParserBuilder,
} from "nuqs/server";
import { instantParam } from "@/components/format/instant-param";
import { zoneParam } from "@/components/format/zone-param";
import { type Catalogue, FILTERS, type Filter, faultOf, toExclusion } from "@/server/audit/query/catalogue";
import { MAX_WORDS, splitValues, wordsOf } from "@/server/audit/query/values";
import { MAX_FILTER_LIST_LENGTH } from "@/server/audit/vocabulary";
import { mapValues } from "@/server/ground/records";
import { GUID, MAX_FILTER_LENGTH } from "@/server/ground/text";
import { PRESETS } from "./range";
import { tableParsers } from "./table-params";

const textParser = (isValid: (value: string) => boolean) =>
  createParser({ parse: (value) => (isValid(value) ? value : null), serialize: (value: string) => value });

const words = textParser((value) => value.length <= MAX_FILTER_LENGTH && wordsOf(value).length <= MAX_WORDS);
export const guid = textParser((value) => GUID.test(value));
const listParser = (isValid: (value: string) => boolean) =>
  textParser((text) => text.length <= MAX_FILTER_LIST_LENGTH && splitValues(text).every(isValid));
const exclusions = (catalogue: Catalogue) => listParser((part) => toExclusion(part, catalogue) !== null);

const parserOf = (filter: Filter): SingleParserBuilder<string> =>
  filter.match === "words" ? words : listParser((value) => faultOf(filter, value) === null);

/** URL parsers for a catalogue's filters and exclusions. */
export function parsersOf<C extends Catalogue>(catalogue: C) {
  return {
    ...mapValues(catalogue, parserOf),
    excludeActions: listParser(() => true),
    exclude: exclusions(catalogue),
  };
}

/** The organization is selected for the whole site, so it is not a filter of this page. */
const { orgId: _, ...filters } = parsersOf(FILTERS);

/** The parameters that filter the list. */
export const filterParsers = {
  ...filters,
  range: parseAsStringLiteral(PRESETS),
  from: instantParam,
  to: instantParam,
};

/** The complete state of the viewer in the URL. */
export const viewParsers = {
  ...filterParsers,
  ...tableParsers,
  /** One organization, as on every page, or a list of several. */
  orgId: listParser((value) => GUID.test(value)),
  tz: zoneParam,
  cursor: parseAsString,
  row: guid,
  /** True while the facets panel is open. */
  facets: parseAsBoolean.withDefault(false),
  /** Present while the list is live. */
  live: parseAsStringLiteral(["1"] as const),
};

export type Filters = inferParserType<typeof filterParsers>;
export type View = inferParserType<typeof viewParsers>;
export type FilterParam = keyof Filters;

/** Updates part of the viewer's URL state; by default as a new history entry. */
export type SetView = (
  change: Partial<View> | ((view: View) => Partial<View>),
  options?: { history?: "push" | "replace"; scroll?: boolean },
) => unknown;

/** Included in every filter change: returns to the first page and closes the open entry. */
export const FROM_START = { cursor: null, row: null } satisfies Partial<View>;

export const loadView = createLoader(viewParsers);

/** URL parameters with invalid values: they are ignored and reported on the page. */
export function invalidParams(params: URLSearchParams): string[] {
  const invalid: string[] = [];
  for (const [name, parser] of Object.entries(viewParsers)) {
    const value = params.get(name);
    if (value && parser.parse(value) === null) invalid.push(`${name}=${value.slice(0, 40)}`);
  }
  const { from, to } = loadView(params);
  if (from && to && from > to) invalid.push("from is after to");
  return invalid;
}
