import { keepPreviousData } from "@tanstack/react-query";
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
import { type Inputs, UNBATCHED, type useTRPC } from "@/components/trpc";
import {
  EXCLUDED_BARE,
  type Exclusion,
  FILTER_NAMES,
  FILTERS,
  type Filter,
  faultOf,
  toExclusion,
} from "@/server/audit/query/catalogue";
import { MAX_WORDS, splitValues, termsOf } from "@/server/audit/query/values";
import type { ListedPage } from "@/server/audit/schema";
import { MAX_FILTER_LIST_LENGTH, ROUTINE_ACTIONS } from "@/server/audit/vocabulary";
import { mapValues } from "@/server/ground/records";
import { GUID, MAX_FILTER_LENGTH } from "@/server/ground/text";
import { PRESETS, presetSpan, type Span } from "./range";
import { tableParsers } from "./table-params";

const textParser = (isValid: (value: string) => boolean) =>
  createParser({ parse: (value) => (isValid(value) ? value : null), serialize: (value: string) => value });

const words = textParser((value) => value.length <= MAX_FILTER_LENGTH && termsOf(value).flat().length <= MAX_WORDS);
export const guid = textParser((value) => GUID.test(value));
const listParser = (isValid: (value: string) => boolean) =>
  textParser((text) => text.length <= MAX_FILTER_LIST_LENGTH && splitValues(text).every(isValid));
const parserOf = (filter: Filter): SingleParserBuilder<string> =>
  filter.match === "words" ? words : listParser((value) => faultOf(filter, value) === null);

/** The organization is selected for the whole site, so it is not a filter of this page. */
const { orgId: _, ...filters } = mapValues(FILTERS, parserOf);

export const filterParsers = {
  ...filters,
  excludeActions: listParser(() => true),
  exclude: listParser((part) => toExclusion(part) !== null),
  range: parseAsStringLiteral(PRESETS),
  from: instantParam,
  to: instantParam,
};

/** The complete state of the viewer in the URL. */
export const viewParsers = {
  ...filterParsers,
  ...tableParsers,
  /** One organization, as on every page, or several. */
  orgId: listParser((value) => GUID.test(value)),
  tz: zoneParam,
  cursor: parseAsString,
  row: guid,
  /** Line of the search box if more than its words was read, so that it can be searched literally. */
  typed: words,
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

type Excluding = { exclude?: string | null; excludeActions?: string | null };

/** The values of a parameter that takes several. */
export const partsOf = (list: string | null | undefined): string[] => splitValues(list ?? "");

/** The exclusions in the URL. */
export const exclusionsOf = ({ exclude, excludeActions }: Excluding): Exclusion[] => [
  ...partsOf(excludeActions).map((value) => ({ name: EXCLUDED_BARE, value })),
  ...partsOf(exclude).flatMap((part) => toExclusion(part) ?? []),
];

/** Routine agent telemetry, as exclusions. */
export const ROUTINE: readonly Exclusion[] = ROUTINE_ACTIONS.map((value) => ({ name: EXCLUDED_BARE, value }));

export const isRoutine = ({ name, value }: Exclusion): boolean =>
  ROUTINE.some((routine) => routine.name === name && routine.value === value);

/** True while routine agent telemetry is hidden. */
export const hidesRoutine = (view: View): boolean => exclusionsOf(view).filter(isRoutine).length === ROUTINE.length;

export type Input = Inputs["audit"]["list"];
/** The procedures of the audit log. */
export type Trpc = Pick<ReturnType<typeof useTRPC>, "audit">;

/**
 * The time span of the URL's range: a preset, or two ends, either of which may be open. A span that ends before it
 * starts is ignored and reported on the page.
 */
export function spanOf({ range, from, to }: Pick<Filters, "range" | "from" | "to">, zone: string, now: Date): Span {
  if (range) return presetSpan(range, zone, now);
  return from && to && from > to ? {} : { from: from ?? undefined, to: to ?? undefined };
}

/** True when the range has no end, so that new entries can appear. */
export const isOpenEnded = (view: View): boolean => spanOf(view, "UTC", new Date(0)).to === undefined;

/** True while the list is live: requested in the URL, on the first page, and with a range that has no end. */
export const isLive = (view: View): boolean => view.live !== null && view.cursor === null && isOpenEnded(view);

/** The list procedure's input for a view. The total is not counted: the list is paged by cursor. */
export function toListInput(view: View, zone: string, now: Date): Input {
  const { from, to } = spanOf(view, zone, now);
  const filters = FILTER_NAMES.map((name) => [name, view[name]]);
  const input = {
    ...Object.fromEntries(filters),
    exclude: view.exclude,
    excludeActions: view.excludeActions,
    from: from?.toISOString(),
    to: to?.toISOString(),
    cursor: view.cursor,
    skipCount: true,
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined && value !== null));
}

/** Whether repeats and routine telemetry are folded: by the URL, else the user's preference, else true. */
export const isFolding = (view: Pick<View, "fold">, kept: boolean | null | undefined): boolean =>
  view.fold ?? kept ?? true;

/** A filter by action turns folding off: the user wants to see those entries one by one. */
export const filtersByAction = (view: Pick<View, "action" | "actions">): boolean =>
  Boolean(view.action || view.actions);

/** The input of the list itself: without folded telemetry. Totals, facets and exports use the unchanged filter. */
export const listedInput = (input: Input, view: View, folds: boolean): Input =>
  folds && !filtersByAction(view) && !hidesRoutine(view) ? { ...input, routine: "without" } : input;

/** Query options for the telemetry that is folded among a page's entries. */
export function routineQuery(
  trpc: Trpc,
  { listed, page, zone }: { listed: Input; page: ListedPage | undefined; zone: string },
) {
  const { skipCount: _, routine: __, ...filter } = listed;
  const through = page?.pagination.nextCursor ? page.data.at(-1)?.timestamp : undefined;
  return trpc.audit.routine.queryOptions({ ...filter, zone, ...(through && { through }) });
}

/** Query options of the list, shared by the server's prefetch and the browser. Old rows stay while a filter changes. */
export const entriesQuery = (trpc: Trpc, input: Input) =>
  trpc.audit.list.queryOptions(input, { placeholderData: keepPreviousData });

/** The total of the same filter, in a separate request so that the rows do not wait for the count. */
export const totalQuery = (trpc: Trpc, { cursor: _, ...input }: Input) =>
  trpc.audit.list.queryOptions({ ...input, limit: 1, skipCount: false }, { trpc: UNBATCHED });
