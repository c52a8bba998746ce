import { createHash } from "node:crypto";
import { parseAllDocuments } from "yaml";
import { LEVELS, type Level, MAX_THRESHOLD, MAX_TIMESPAN_MS, MAX_YAML_LENGTH } from "@/server/detections/vocabulary";
import { isObject } from "@/server/ground/records";
import { HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";
import { isZone } from "@/server/ground/time/wall-clock";
import { both, conditionOf, either } from "./condition";
import { fault } from "./fault";
import { ANY, getter, type Matcher, matcherOf, type Narrowed } from "./match";

/**
 * Rules as a subset of Sigma 2.1 (https://github.com/SigmaHQ/sigma-specification): documents of selections, followed by
 * at most one chain of correlations over them. Unknown keys are refused by name, because ignoring a part would change
 * the meaning.
 */

/** A document as an evaluation step; the last is the rule. */
export type Node =
  | ({ kind: "entry"; name: string } & Narrowed)
  | { kind: "event_count" | "value_count"; name: string; of: readonly Node[]; window: CountWindow }
  | { kind: "temporal" | "temporal_ordered"; name: string; of: readonly Node[]; window: Window };
type Window = { groupBy: readonly string[]; timespanMs: number };
type CountWindow = Window & { atLeast: number; field: string | null };

export type Rule = {
  title: string;
  description: string;
  level: Level;
  root: Node;
  /** Fields that distinguish alerts. */
  groupBy: readonly string[];
  /** Only these actions can match (SQL prefilter); null if any can. */
  actions: ReadonlySet<string> | null;
  /** Only these kinds of first sightings can match; null: not required. */
  firstSeen: ReadonlySet<string> | null;
  readsFirstSeen: boolean;
  /** SHA-256 of the text, hexadecimal. */
  digest: string;
};

const MAX_DOCUMENTS = 12;
const MAX_NAME = 64;
const DESCRIPTIVE = [
  ...["title", "id", "name", "status", "description", "author", "date", "modified", "level", "tags", "references"],
  ...["falsepositives", "related", "license", "taxonomy"],
];

type Document = Record<string, unknown>;

function requireKnown(value: Document, known: readonly string[], where: string): void {
  for (const key of Object.keys(value))
    if (!known.includes(key))
      throw fault(`${where} has the key ${key}, which is not supported: there are ${known.join(", ")}`);
}

function textIn(document: Document, key: string, fallback?: string): string {
  const value = document[key] ?? fallback;
  if (typeof value !== "string" || value.trim() === "") throw fault(`${key} must be a text`);
  return value.trim();
}

/** Parses a selection: fields that must all match, or a list of alternatives. */
function selectionOf(name: string, value: unknown): Narrowed {
  if (Array.isArray(value) && value.length > 0) return value.map((one) => selectionOf(name, one)).reduce(either);
  if (!isObject(value)) throw fault(`the selection ${name} must have fields; words without a field are not supported`);
  const lines = Object.entries(value).map(([key, given]) => matcherOf(key, given));
  if (lines.length === 0) throw fault(`the selection ${name} is empty`);
  return lines.reduce(both);
}

function entryNode(document: Document, name: string): Node {
  const { logsource, detection } = document;
  if (!isObject(logsource) || logsource.product !== "trailmark") throw fault("logsource must be product: trailmark");
  requireKnown(logsource, ["product", "service", "category"], "logsource");
  if (!isObject(detection)) throw fault("detection must have selections and a condition");
  const { condition, ...selections } = detection;
  if (typeof condition !== "string") throw fault("condition must be a text");
  const named = new Map(
    Object.entries(selections).map(([key, value]) => {
      if (!/^\w{1,64}$/.test(key)) throw fault(`${key} is no name of a selection`);
      return [key, selectionOf(key, value)] as const;
    }),
  );
  const found = conditionOf(condition, named);
  const outside: Matcher | null = document.outside === undefined ? null : outsideOf(document.outside);
  return { kind: "entry", name, ...(outside ? both(found, { ...ANY, matches: outside }) : found) };
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: 24 * HOUR_MS };

function timespanOf(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (!(ms > 0)) throw fault("timespan must be a number with s, m, h or d, such as 10m");
  if (ms > MAX_TIMESPAN_MS) throw fault("timespan must be at most 7d");
  return ms;
}

function namesIn(value: unknown, where: string): string[] {
  const names = [value].flat();
  if (names.length === 0 || !names.every((one) => typeof one === "string")) throw fault(`${where} must list names`);
  return names as string[];
}

function groupByOf(value: unknown): string[] {
  if (value === undefined) return [];
  const names = namesIn(value, "group-by");
  for (const name of names) getter(name);
  return names;
}

function thresholdOf(condition: unknown, needsField: boolean): { atLeast: number; field: string | null } {
  if (!isObject(condition)) throw fault("the correlation needs a condition such as gte: 10");
  requireKnown(condition, needsField ? ["gte", "gt", "field"] : ["gte", "gt"], "the condition of the correlation");
  const { gte, gt, field } = condition;
  const atLeast = typeof gte === "number" ? gte : typeof gt === "number" ? gt + 1 : Number.NaN;
  if (!Number.isInteger(atLeast) || atLeast < 1 || atLeast > MAX_THRESHOLD || (gte !== undefined && gt !== undefined))
    throw fault(`the condition of the correlation must be gte or gt and a whole number up to ${MAX_THRESHOLD}`);
  if (!needsField) return { atLeast, field: null };
  if (typeof field !== "string") throw fault("value_count needs condition.field");
  getter(field);
  return { atLeast, field };
}

function correlationNode(document: Document, name: string, known: ReadonlyMap<string, Node>): Node {
  const { correlation } = document;
  if (!isObject(correlation)) throw fault("correlation must be an object");
  const keys = ["type", "rules", "group-by", "timespan", "condition"];
  requireKnown(correlation, keys, "the correlation");
  const of = namesIn(correlation.rules, "rules").map((one) => {
    const node = known.get(one);
    if (!node) throw fault(`rules names ${one}, which is no document above`);
    return node;
  });
  const window = {
    groupBy: groupByOf(correlation["group-by"]),
    timespanMs: timespanOf(textIn(correlation, "timespan")),
  };
  const { type } = correlation;
  if (type === "event_count" || type === "value_count")
    return {
      kind: type,
      name,
      of,
      window: { ...window, ...thresholdOf(correlation.condition, type === "value_count") },
    };
  if (type !== "temporal" && type !== "temporal_ordered")
    throw fault("type must be event_count, value_count, temporal or temporal_ordered");
  if (correlation.condition !== undefined) throw fault(`${type} takes no condition`);
  if (of.length < 2) throw fault(`${type} needs two rules at least`);
  return { kind: type, name, of, window };
}

function nodeOf(document: Document, name: string, known: ReadonlyMap<string, Node>): Node {
  const isCorrelation = "correlation" in document;
  const own = isCorrelation ? ["correlation"] : ["logsource", "detection", "outside"];
  requireKnown(document, [...DESCRIPTIVE, ...own], isCorrelation ? "the correlation rule" : "the rule");
  return isCorrelation ? correlationNode(document, name, known) : entryNode(document, name);
}

function documentsOf(text: string): Document[] {
  if (text.length > MAX_YAML_LENGTH) throw fault(`is longer than ${MAX_YAML_LENGTH} characters`);
  const documents = parseAllDocuments(text, { uniqueKeys: true, schema: "core" });
  if (!Array.isArray(documents) || documents.length === 0) throw fault("is empty");
  if (documents.length > MAX_DOCUMENTS) throw fault(`has more than ${MAX_DOCUMENTS} documents`);
  return documents.map((document) => {
    const [error] = document.errors;
    if (error) throw fault(error.message.split("\n")[0] ?? "is no YAML");
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    if (!isObject(value)) throw fault("must be a rule of Sigma");
    return value;
  });
}

const levelOf = (value: unknown): Level => {
  const found = LEVELS.find((level) => level === (value ?? "medium"));
  if (!found) throw fault(`level must be one of ${LEVELS.join(", ")}`);
  return found;
};

const onlyOf = (node: Node, name: "actions" | "firstSeen"): ReadonlySet<string> | null => {
  if (node.kind === "entry") return node[name];
  const sets = node.of.map((one) => onlyOf(one, name));
  return sets.some((set) => set === null) ? null : new Set(sets.flatMap((set) => [...(set ?? [])]));
};

/** Alerts on single entries are grouped by actor. */
const DEFAULT_GROUP = ["user.id"];

/** Compiles the text of a rule. @throws AppError validation_failed, which names the fault */
export function parseRule(text: string): Rule {
  const documents = read(text);
  const known = new Map<string, Node>();
  let root: Node | undefined;
  for (const [i, document] of documents.entries()) {
    const name = i === documents.length - 1 ? "" : textIn(document, "name").slice(0, MAX_NAME);
    if (known.has(name)) throw fault(`two documents have the name ${name}`);
    root = nodeOf(document, name, known);
    known.set(name, root);
  }
  const last = documents.at(-1);
  if (!root || !last) throw fault("is empty");
  if (root.kind === "entry" && documents.length > 1)
    throw fault("the last document must be a correlation of those above");
  return {
    title: textIn(last, "title").slice(0, 200),
    description: typeof last.description === "string" ? last.description.trim() : "",
    level: levelOf(last.level),
    root,
    groupBy: root.kind === "entry" ? DEFAULT_GROUP : root.window.groupBy,
    actions: onlyOf(root, "actions"),
    firstSeen: onlyOf(root, "firstSeen"),
    readsFirstSeen: text.includes("firstSeen"),
    digest: createHash("sha256").update(text).digest("hex"),
  };
}

/** Reports errors of the YAML library as faults of the text. */
function read(text: string): Document[] {
  try {
    return documentsOf(text);
  } catch (error) {
    if (error instanceof ReferenceError || error instanceof RangeError) throw fault("aliases are not supported");
    throw error;
  }
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

const minuteOf = (text: string): number => {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return 60 * hours + minutes;
};

/**
 * Extension of Sigma. outside: {hours: 08:00-18:00, zone: Europe/Berlin, days: [Mon, Tue]}: matches any other time; by
 * default Monday to Friday and UTC.
 * @throws AppError validation_failed
 */
function outsideOf(value: unknown): Matcher {
  if (!isObject(value)) throw fault("outside must have hours");
  requireKnown(value, ["hours", "zone", "days"], "outside");
  const { hours, zone = "UTC", days = DAYS.slice(1, 6) } = value;
  const [, from, to] = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-4]):[0-5]\d)$/.exec(String(hours)) ?? [];
  if (!from || !to || minuteOf(from) >= minuteOf(to)) throw fault("outside.hours must be such as 08:00-18:00");
  if (typeof zone !== "string" || !isZone(zone)) throw fault("outside.zone is no time zone");
  const named = [days].flat();
  if (!named.every((day) => DAYS.some((one) => one === day))) throw fault(`outside.days must be of ${DAYS.join(", ")}`);
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: zone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  } as const);
  const [first, last] = [minuteOf(from), minuteOf(to)];
  return ({ timestamp }) => {
    const parts = new Map(format.formatToParts(new Date(timestamp)).map(({ type, value: part }) => [type, part]));
    const minute = 60 * Number(parts.get("hour")) + Number(parts.get("minute"));
    return !named.includes(parts.get("weekday")) || minute < first || minute >= last;
  };
}
