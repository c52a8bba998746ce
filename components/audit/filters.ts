import {
  createLoader,
  createParser,
  type inferParserType,
  parseAsIsoDateTime,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { ACTOR_TYPES, CATEGORIES, type ListInput, RESULTS } from "@/server/audit/schema";
import { PRESET_LABEL, PRESETS, presetSpan, type Span } from "./range";

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MAX_TEXT = 255;

const text = createParser({
  parse: (value: string) => (value.length <= MAX_TEXT ? value : null),
  serialize: (value: string) => value,
});
const guid = createParser({
  parse: (value: string) => (GUID.test(value) ? value : null),
  serialize: (value: string) => value,
});

/** What narrows the list; the order is that of the filter form. */
export const filterParsers = {
  q: text,
  actor: text,
  action: text,
  resource: text,
  result: parseAsStringLiteral(RESULTS),
  category: parseAsStringLiteral(CATEGORIES),
  type: parseAsStringLiteral(ACTOR_TYPES),
  without: text,
  range: parseAsStringLiteral(PRESETS),
  from: parseAsIsoDateTime,
  to: parseAsIsoDateTime,
};

/** The whole state of the viewer, as the address holds it. */
export const viewParsers = {
  ...filterParsers,
  org: guid,
  tz: parseAsStringLiteral(["utc"] as const),
  cursor: parseAsString,
  row: guid,
};

export type Filters = inferParserType<typeof filterParsers>;
export type View = inferParserType<typeof viewParsers>;
export type FilterName = keyof Filters;

export const loadView = createLoader(viewParsers);

/** The instants that the address asks for: a preset, or two ends of which either may be open. */
export function spanOf(filters: Filters, zone: string, now: Date): Span {
  if (filters.range) return presetSpan(filters.range, zone, now);
  return { from: filters.from ?? undefined, to: filters.to ?? undefined };
}

/** The procedure's input for a view. Counting is left out: the list is paged by cursor. */
export function toListInput(view: View, zone: string, now: Date) {
  const span = spanOf(view, zone, now);
  const input = {
    q: view.q ?? undefined,
    orgId: view.org ?? undefined,
    user: view.actor ?? undefined,
    action: view.action ?? undefined,
    resource: view.resource ?? undefined,
    result: view.result ?? undefined,
    category: view.category ?? undefined,
    actorType: view.type ?? undefined,
    excludeActions: view.without ?? undefined,
    from: span.from?.toISOString(),
    to: span.to?.toISOString(),
    cursor: view.cursor ?? undefined,
    skipCount: true,
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as typeof input;
}

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

export const CATEGORY_LABEL: Record<ListCategory, string> = {
  authentication: "Authentication",
  device: "Device",
  automation: "Automation",
  policy: "Policy",
  alert: "Alert",
  compliance: "Compliance",
  organization: "Organization",
  system: "System",
};
type ListCategory = NonNullable<ListInput["category"]>;

export const ACTOR_TYPE_LABEL: Record<NonNullable<ListInput["actorType"]>, string> = {
  user: "User",
  api_key: "API key",
  agent: "Agent",
  system: "System",
  ai_agent: "AI agent",
};

export const RESULT_LABEL: Record<NonNullable<ListInput["result"]>, string> = {
  success: "Success",
  failure: "Failure",
  denied: "Denied",
};

/** What agents send around the clock; it outnumbers what people do a hundred to one. */
export const ROUTINE_ACTIONS = "agent.eventlogs.submit,agent.logs.submit,agent.heartbeat";

export { PRESET_LABEL };
