import {
  createLoader,
  createParser,
  type inferParserType,
  parseAsBoolean,
  parseAsIsoDateTime,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { tableParsers } from "@/components/audit/table/table-params";
import { zoneParam } from "@/components/format/zone-param";
import { ACTOR_TYPES, CATEGORIES, RESULTS } from "@/server/audit/vocabulary";
import { PRESETS } from "./range";

export const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MAX_TEXT = 255;
const MAX_LIST = 4096;

const textOf = (max: number) =>
  createParser({
    parse: (value: string) => (value.length <= max ? value : null),
    serialize: (value: string) => value,
  });
const text = textOf(MAX_TEXT);
const longText = textOf(MAX_LIST);
const guid = createParser({
  parse: (value: string) => (GUID.test(value) ? value : null),
  serialize: (value: string) => value,
});

/**
 * What narrows the list. actor, action and resource are parts of a text; actorId, actions (several, by comma), resourceId
 * and resourceType are exact. without: what is left out (narrow.ts).
 */
export const filterParsers = {
  q: text,
  actor: text,
  actorId: text,
  action: text,
  actions: longText,
  resource: text,
  resourceId: guid,
  resourceType: text,
  device: text,
  ip: text,
  result: parseAsStringLiteral(RESULTS),
  category: parseAsStringLiteral(CATEGORIES),
  type: parseAsStringLiteral(ACTOR_TYPES),
  without: longText,
  range: parseAsStringLiteral(PRESETS),
  from: parseAsIsoDateTime,
  to: parseAsIsoDateTime,
};

/** The whole state of the viewer, as the address holds it. */
export const viewParsers = {
  ...filterParsers,
  ...tableParsers,
  org: guid,
  tz: zoneParam,
  cursor: parseAsString,
  row: guid,
  /** True while the panel of facets is open. */
  facets: parseAsBoolean.withDefault(false),
  /** There while new entries come by themselves. */
  live: parseAsStringLiteral(["1"] as const),
};

export type Filters = inferParserType<typeof filterParsers>;
export type View = inferParserType<typeof viewParsers>;
export type FilterName = keyof Filters;

export const loadView = createLoader(viewParsers);

/** Parts of the address that no filter takes: they are ignored, and the page says so. */
export function misread(params: URLSearchParams): string[] {
  const wrong: string[] = [];
  for (const [name, parser] of Object.entries(viewParsers)) {
    const value = params.get(name);
    if (value && parser.parse(value) === null) wrong.push(`${name}=${value.slice(0, 40)}`);
  }
  const from = params.get("from");
  const to = params.get("to");
  if (from && to && Date.parse(from) > Date.parse(to)) wrong.push("from lies after to");
  return wrong;
}
