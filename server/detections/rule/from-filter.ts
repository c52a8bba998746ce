import { stringify } from "yaml";
import { FILTER_NAMES, type FilterName } from "@/server/audit/query/catalogue";
import { excludedOf } from "@/server/audit/query/conditions";
import { isAddress, termsOf } from "@/server/audit/query/values";
import { ROUTINE_ACTIONS } from "@/server/audit/vocabulary";
import type { DraftInput, Threshold } from "@/server/detections/schema";
import { COUNT_BY } from "@/server/detections/vocabulary";
import { invalid } from "@/server/ground/errors";
import { parseRule } from "./parse";

type Fields = Record<string, unknown>;
/** Fields that must all match, or a list of alternatives. */
type Selection = Fields | Fields[];

const literal = (text: string): string => text.replace(/[\\*?]/g, "\\$&");
const one = (values: readonly unknown[]): unknown => (values.length === 1 ? values[0] : values);
const anyOf = (selections: Fields[]): Selection => (selections.length === 1 ? (selections[0] ?? {}) : selections);
const exact =
  (field: string) =>
  (values: readonly string[]): Selection => ({ [field]: one(values.map(literal)) });
const part =
  (...fields: string[]) =>
  (values: readonly string[]): Selection => {
    return anyOf(fields.map((field) => ({ [`${field}|contains`]: one(values.map(literal)) })));
  };

const combinationsOf = (lists: readonly string[][]): string[][] =>
  lists.reduce<string[][]>((all, list) => all.flatMap((some) => list.map((next) => [...some, next])), [[]]);

function address(value: string): Fields {
  if (value.includes("/")) return { "ipAddress|cidr": value };
  return isAddress(value) ? { ipAddress: value } : { "ipAddress|startswith": literal(value) };
}

/** Translates each filter of the list to rule fields; the organization is the rule's own. */
const SELECTIONS: { [N in FilterName]?: (values: readonly string[]) => Selection } = {
  q: (texts) =>
    anyOf(
      texts.flatMap((text) => combinationsOf(termsOf(text)).map((all) => ({ "text|contains|all": all.map(literal) }))),
    ),
  user: part("user.name", "user.email"),
  action: (values) => ({ "action|contains": one(values.map((value) => literal(value.toLowerCase()))) }),
  resource: part("resource.type", "resource.name"),
  device: part("device"),
  ip: (values) => values.map(address),
  result: exact("result"),
  category: exact("category"),
  actorType: exact("actorType"),
  actorId: exact("user.id"),
  rawActorId: exact("details.rawActorId"),
  actions: exact("action"),
  resourceType: exact("resource.type"),
  resourceId: exact("resource.id"),
  session: exact("details.sessionId"),
  new: exact("firstSeen"),
  submitted: (values) => values.map((value) => ({ "submittedBy.keyId|exists": value === "true" })),
};

type Filter = DraftInput["filter"];
const valuesOf = (filter: Filter, name: FilterName): readonly string[] => [filter[name] ?? []].flat();

function selectionFor(name: FilterName, values: readonly string[]): Selection {
  const select = SELECTIONS[name];
  if (!select) throw invalid("filter", `the filter ${name} cannot be watched`);
  return select(values);
}

/** Selections by name: those that must match and those that must not. */
function selectionsOf(filter: Filter): { wanted: Record<string, Selection>; unwanted: Record<string, Selection> } {
  const wanted: Record<string, Selection> = {};
  const unwanted: Record<string, Selection> = {};
  for (const name of FILTER_NAMES) {
    if (name === "orgId") continue;
    const [values, excluded] = [valuesOf(filter, name), excludedOf(filter, name)];
    if (values.length > 0) wanted[name] = selectionFor(name, values);
    if (excluded.length > 0) unwanted[`${name}_excluded`] = selectionFor(name, excluded);
  }
  const routine = { action: [...ROUTINE_ACTIONS], result: "success" };
  if (filter.routine) (filter.routine === "only" ? wanted : unwanted).routine = routine;
  return { wanted, unwanted };
}

function correlationOf({ atLeast, minutes, by, distinct }: Threshold): Fields {
  return {
    type: distinct ? "value_count" : "event_count",
    rules: ["entries"],
    ...(by && { "group-by": [COUNT_BY[by].field] }),
    timespan: `${minutes}m`,
    condition: { ...(distinct && { field: COUNT_BY[distinct].field }), gte: atLeast },
  };
}

/**
 * A rule equivalent to a list: its filters as selections and, with a threshold, a correlation over them.
 * @throws AppError validation_failed for a filter unsupported by rules, and without any filter
 */
export function yamlOf({ title, level, filter, threshold }: DraftInput): string {
  const { wanted, unwanted } = selectionsOf(filter);
  const names = [...Object.keys(wanted), ...Object.keys(unwanted).map((name) => `not ${name}`)];
  if (names.length === 0 && !threshold) throw invalid("filter", "must narrow the log, or there must be a threshold");
  const detection =
    names.length > 0
      ? { ...wanted, ...unwanted, condition: names.join(" and ") }
      : { any: { "id|exists": true }, condition: "any" };
  const entries = { logsource: { product: "trailmark" }, detection };
  const documents = threshold
    ? [
        { name: "entries", ...entries },
        { title, level, correlation: correlationOf(threshold) },
      ]
    : [{ title, level, ...entries }];
  const yaml = documents.map((document) => stringify(document)).join("---\n");
  parseRule(yaml);
  return yaml;
}
