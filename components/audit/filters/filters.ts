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
import type { ActorType, AuditResult, Category } from "@/server/audit/schema";
import { PRESETS } from "./range";

type Choice<T extends string> = Record<T, string>;

/** What the wire's values are called; the keys are the lists of choices, so that zod stays out of the viewer's scripts. */
export const CATEGORY_LABEL: Choice<Category> = {
  authentication: "Authentication",
  device: "Device",
  automation: "Automation",
  policy: "Policy",
  alert: "Alert",
  compliance: "Compliance",
  organization: "Organization",
  system: "System",
};
export const ACTOR_TYPE_LABEL: Choice<ActorType> = {
  user: "User",
  api_key: "API key",
  agent: "Agent",
  system: "System",
  ai_agent: "AI agent",
};
export const RESULT_LABEL: Choice<AuditResult> = { success: "Success", failure: "Failure", denied: "Denied" };

const keysOf = <T extends string>(labels: Choice<T>) => Object.keys(labels) as T[];
export const CATEGORIES = keysOf(CATEGORY_LABEL);
export const ACTOR_TYPES = keysOf(ACTOR_TYPE_LABEL);
export const RESULTS = keysOf(RESULT_LABEL);

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
