import type { View } from "./filters";
import { FROM_START } from "./set-view";

/** Fields of which one value can be kept alone or left out. The names are those of the address. */
export const FIELDS = ["category", "action", "type", "actorId", "result", "resourceType", "org", "ip"] as const;
export type Field = (typeof FIELDS)[number];

/** What the wire calls them in `exclude`. Actions have a parameter of their own. */
const WIRE_NAME = {
  category: "category",
  type: "actorType",
  actorId: "actorId",
  result: "result",
  resourceType: "resourceType",
  org: "orgId",
  ip: "ip",
} as const;
type Excludable = keyof typeof WIRE_NAME;

/** "result:success" of the address's `without`; a value without a field is an action. */
export type Exclusion = { field: Field; value: string };

function toExclusion(token: string): Exclusion {
  const at = token.indexOf(":");
  const field = token.slice(0, at);
  return at > 0 && field in WIRE_NAME
    ? { field: field as Excludable, value: token.slice(at + 1) }
    : { field: "action", value: token };
}

const toToken = ({ field, value }: Exclusion): string => (field === "action" ? value : `${field}:${value}`);

/** What the address leaves out. */
export const exclusionsOf = (without: string | null): Exclusion[] =>
  (without ?? "").split(",").filter(Boolean).map(toExclusion);

/** The same as the address holds it; null when nothing is left out. */
export const toWithout = (exclusions: Exclusion[]): string | null =>
  [...new Set(exclusions.map(toToken))].join(",") || null;

/** The procedures' two parameters for what is left out. */
export function excludeInput(without: string | null): { excludeActions?: string[]; exclude?: string[] } {
  const all = exclusionsOf(without);
  const actions = all.filter(({ field }) => field === "action").map(({ value }) => value);
  const others = all
    .filter((e): e is { field: Excludable; value: string } => e.field !== "action")
    .map(({ field, value }) => `${WIRE_NAME[field]}:${value}`);
  return { ...(actions.length > 0 && { excludeActions: actions }), ...(others.length > 0 && { exclude: others }) };
}

const paramOf = (field: Field) => (field === "action" ? "actions" : field);

/** The change that keeps one value of a field alone. */
export const only = (field: Field, value: string): Partial<View> => ({ [paramOf(field)]: value, ...FROM_START });

/** The change that gives the field up again. */
export const any = (field: Field): Partial<View> => ({ [paramOf(field)]: null, ...FROM_START });

export const isOnly = (view: View, field: Field, value: string): boolean => view[paramOf(field)] === value;

/** The change that leaves one value out. */
export const leaveOut = (view: View, field: Field, value: string): Partial<View> => ({
  ...(isOnly(view, field, value) && { [paramOf(field)]: null }),
  without: toWithout([...exclusionsOf(view.without), { field, value }]),
  ...FROM_START,
});

/** The change that lets what was left out back in. */
export const letIn = (view: View, gone: Exclusion[]): Partial<View> => {
  const tokens = new Set(gone.map(toToken));
  return { without: toWithout(exclusionsOf(view.without).filter((e) => !tokens.has(toToken(e)))), ...FROM_START };
};

/** What agents send around the clock; it outnumbers what people do a hundred to one. */
const ROUTINE: Exclusion[] = ["agent.eventlogs.submit", "agent.logs.submit", "agent.heartbeat"].map((value) => ({
  field: "action",
  value,
}));

export const isRoutine = ({ field, value }: Exclusion): boolean =>
  field === "action" && ROUTINE.some((routine) => routine.value === value);

/** True while routine agent telemetry is hidden. */
export const hidesRoutine = (view: View): boolean =>
  exclusionsOf(view.without).filter(isRoutine).length === ROUTINE.length;

/** The change that hides it, or shows it again. */
export const hideRoutine = (view: View, hide: boolean): Partial<View> =>
  hide ? { without: toWithout([...exclusionsOf(view.without), ...ROUTINE]), ...FROM_START } : letIn(view, ROUTINE);
