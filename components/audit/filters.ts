import {
  createLoader,
  createParser,
  type inferParserType,
  parseAsIsoDateTime,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import type { ActorType, AuditResult, Category } from "@/server/audit/schema";
import { PRESETS, presetSpan, type Span } from "./range";

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

/** What the filter form asks for. */
export const FORM_NAMES = ["actor", "action", "resource", "result", "category", "type", "without"] as const;

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

/** What agents send around the clock; it outnumbers what people do a hundred to one. */
export const ROUTINE_ACTIONS = "agent.eventlogs.submit,agent.logs.submit,agent.heartbeat";
