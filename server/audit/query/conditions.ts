import { type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/arrays";
import { CATEGORY_PREFIXES } from "@/server/audit/actions";
import { isFirstSeen } from "@/server/audit/search/first-seen";
import { FIRST_SEEN, ROUTINE_ACTIONS, type Routine } from "@/server/audit/vocabulary";
import { keysOf } from "@/server/ground/records";
import { GUID } from "@/server/ground/text";
import { EXCLUDED_BARE, type FilterName, toExclusion } from "./catalogue";
import { beginningsOf, plainAddress } from "./values";
import {
  actorsWithin,
  actorTypesCalled,
  devicesWithin,
  hasText,
  holdsTerm,
  isAgent,
  type Term,
  type Within,
} from "./words";

/** Filters on rows; words are looked up first and become separate conditions. */
export type RowFilterName = Exclude<FilterName, "q">;

/** Filters without words: any of the values of each, and a time range. */
type Narrowing = { [N in RowFilterName]?: string | readonly string[] | undefined } & {
  exclude?: readonly string[] | undefined;
  excludeActions?: readonly string[] | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** Routine telemetry that succeeded: excluded, or exclusively. */
  routine?: Routine | undefined;
  /** A text in any of the five searched fields (spec, GET /audit-logs/search). */
  phrase?: string | undefined;
};

/** The common filters, and words. */
export type AuditFilter = Narrowing & { q?: string | undefined };

/** The same with words looked up (plan.ts): all of `words` must occur, none of `withoutWords`. */
export type RowFilter = Narrowing & {
  q?: never;
  words?: readonly Term[];
  withoutWords?: readonly Term[];
  within?: Within;
};

const either = (conditions: SQL[]): SQL => sql`(${sql.join(conditions, sql` OR `)})`;

/** A condition on rows `a` that is true if any value matches; names are looked up within some organizations. */
type Condition = (values: readonly string[], within?: Within) => SQL;

const isOneOf =
  (column: string): Condition =>
  (values) =>
    values.length === 1 ? sql`${sql.raw(column)} = ${values[0]}` : sql`${sql.raw(column)} = ANY (${textArray(values)})`;
const contains =
  (...columns: string[]): Condition =>
  (values) =>
    either(values.flatMap((text) => columns.map((column) => hasText(sql.raw(column), text))));

function isOfCategory(category: string): SQL {
  const startsWith = (prefixes: readonly string[]) => either(prefixes.map((p) => sql`starts_with(a.action, ${p})`));
  const named = CATEGORY_PREFIXES.find(([name]) => name === category);
  return named ? startsWith(named[1]) : sql`NOT ${startsWith(CATEGORY_PREFIXES.flatMap(([, prefixes]) => prefixes))}`;
}

/** People whose name contains the text, as far as row-level security shows them to the caller. */
export const namedPeople = (text: string, within: Within): SQL =>
  sql`SELECT u.id FROM users u WHERE ${hasText(sql`u.name`, text)} AND ${actorsWithin("u", within)}`;

/** API keys whose name contains the text. */
export const namedKeys = (text: string, within: Within): SQL =>
  sql`SELECT k.id FROM api_keys k WHERE ${hasText(sql`k.name`, text)} AND ${actorsWithin("k", within)}`;

export const namedDevices = (text: string, within: Within): SQL =>
  sql`SELECT d.id FROM devices d WHERE ${hasText(sql`d.hostname`, text)} AND ${devicesWithin(within)}`;

/** Agents on devices whose hostname contains the text; an agent's id may be any text. */
export const agentsOn = (text: string, within: Within): SQL =>
  sql`SELECT g.actor_id AS id FROM agents g JOIN devices d ON d.id = g.device_id
    WHERE ${hasText(sql`d.hostname`, text)} AND ${devicesWithin(within)}`;

/** Display forms of an agent: "Agent (WS-042)" and "Agent on WS-042". */
const AGENT_NAME = /^agent (?:\((.+)\)|on (.+))$/i;

/** Ids of agents by part of their device's hostname, or by their display name. */
export function agentsCalled(text: string, within: Within): SQL {
  const [, inBrackets, behindOn] = AGENT_NAME.exec(text.trim()) ?? [];
  return agentsOn(inBrackets ?? behindOn ?? text, within);
}

const involvesDevice = (text: string, within: Within): SQL =>
  sql`((a.resource_type = 'device' AND ${hasText(sql`a.resource_name`, text)})
    OR a.resource_id = ANY (ARRAY(${namedDevices(text, within)}))
    OR EXISTS (SELECT FROM unnest(audit_devices_named(a.details)) AS n(name) WHERE ${hasText(sql`n.name`, text)})
    OR a.details ->> 'deviceId' = ANY (ARRAY(SELECT n.id::text FROM (${namedDevices(text, within)}) n))
    OR ${isAgent(sql`ARRAY(${agentsOn(text, within)})`)})`;

/** An actor by its id, or by the id in the details if it is not a UUID. */
const isActor = (id: string): SQL =>
  GUID.test(id) ? sql`a.actor_id = ${id}::uuid` : sql`a.details ->> 'rawActorId' = ${id}`;

/** An actor by part of its address, name or hostname; the platform by its whole name. */
const isCalled = (text: string, within: Within): SQL =>
  either([
    hasText(sql`a.actor_email`, text),
    sql`a.actor_id = ANY (ARRAY(${namedPeople(text, within)}))`,
    sql`(a.actor_type = 'api_key' AND a.actor_id = ANY (ARRAY(${namedKeys(text, within)})))`,
    isAgent(sql`ARRAY(${agentsCalled(text, within)})`),
    ...actorTypesCalled(text).map((type) => sql`a.actor_type = ${type}`),
  ]);

/** A network, an address in any notation, or the start of addresses. */
function isAt(ip: string): SQL {
  if (ip.includes("/")) return sql`audit_address(a.ip_address) <<= ${ip}::inet`;
  const plain = plainAddress(ip);
  if (plain)
    return sql`(a.ip_address IN (${ip}, ${plain}) OR (a.ip_address LIKE '%:%' AND audit_address(a.ip_address) = ${plain}::inet))`;
  return either(beginningsOf(ip).map((beginning) => sql`starts_with(a.ip_address, ${beginning})`));
}

/** The member written by provenance.ts; must match the text of the partial index audit_logs_submitted_idx. */
const IS_SUBMITTED: SQL = sql.raw("a.details ? 'submittedBy'");

const isNot = (condition: SQL): SQL => sql`(${condition}) IS NOT TRUE`;

/** Condition of each filter, cheapest first. */
export const CONDITIONS: Record<RowFilterName, Condition> = {
  actorType: isOneOf("a.actor_type"),
  result: isOneOf("a.result"),
  actions: isOneOf("a.action"),
  action: contains("a.action"),
  category: (values) => either(values.map(isOfCategory)),
  actorId: (ids) => either(ids.map(isActor)),
  rawActorId: isOneOf("a.details ->> 'rawActorId'"),
  user: (values, within) => either(values.map((text) => isCalled(text, within))),
  ip: (values) => either(values.map(isAt)),
  resourceId: (ids) => either(ids.map((id) => sql`a.resource_id = ${id}::uuid`)),
  resourceType: isOneOf("a.resource_type"),
  session: isOneOf("a.details ->> 'sessionId'"),
  submitted: (values) => either(values.map((value) => (value === "true" ? IS_SUBMITTED : isNot(IS_SUBMITTED)))),
  resource: contains("a.resource_type", "a.resource_name"),
  device: (values, within) => either(values.map((text) => involvesDevice(text, within))),
  orgId: isOneOf("a.org_id::text"),
  new: (kinds) => isFirstSeen(FIRST_SEEN.filter((kind) => kinds.includes(kind))),
};

/** Spec, GET /audit-logs/search: the five fields. */
const holdsPhrase = contains("a.action", "a.actor_email", "a.resource_type", "a.resource_name", "a.details::text");

export const ROW_FILTERS = keysOf(CONDITIONS);
/** Filters that the tallies also know (db: audit_tally). */
const KIND_FILTERS: readonly RowFilterName[] = ["actorType", "result", "resourceType", "actions", "action", "category"];

/** Accepted values of a filter; orgId has already narrowed the caller's scope. */
export function valuesOf(filter: RowFilter, name: RowFilterName): readonly string[] {
  const value = name === "orgId" ? undefined : filter[name];
  return typeof value === "string" ? (value ? [value] : []) : (value ?? []);
}

export function excludedOf(
  filter: Pick<AuditFilter, "exclude" | "excludeActions">,
  name: FilterName,
): readonly string[] {
  if (name === EXCLUDED_BARE) return filter.excludeActions ?? [];
  return (filter.exclude ?? []).flatMap((part) => {
    const exclusion = toExclusion(part);
    return exclusion?.name === name ? [exclusion.value] : [];
  });
}

const IS_ROUTINE: SQL = sql`(a.action = ANY (${textArray(ROUTINE_ACTIONS)}) AND a.result = 'success')`;

const routineConditions = ({ routine }: RowFilter): SQL[] =>
  routine === undefined ? [] : [routine === "only" ? IS_ROUTINE : isNot(IS_ROUTINE)];

function conditionsOn(filter: RowFilter, names: readonly RowFilterName[]): SQL[] {
  return names.flatMap((name) => {
    const [wanted, unwanted] = [valuesOf(filter, name), excludedOf(filter, name)];
    return [
      ...(wanted.length > 0 ? [CONDITIONS[name](wanted, filter.within)] : []),
      ...(unwanted.length > 0 ? [isNot(CONDITIONS[name](unwanted, filter.within))] : []),
    ];
  });
}

/** Conditions on text, evaluated last. */
const textConditions = ({ phrase, words = [], withoutWords = [] }: RowFilter): SQL[] => [
  ...words.map(holdsTerm),
  ...withoutWords.map((term) => isNot(holdsTerm(term))),
  ...(phrase ? [holdsPhrase([phrase])] : []),
];

/** Conditions on everything but time. */
export const untimedConditions = (filter: RowFilter): SQL[] => [
  ...conditionsOn(filter, ROW_FILTERS),
  ...routineConditions(filter),
  ...textConditions(filter),
];

/**
 * Conditions of a filter over audit_logs as `a`, without the organization's. List, search, export, reports and facets
 * all use them, so that an export equals its screen.
 */
export function conditionsOf(filter: RowFilter): SQL[] {
  const { from, to } = filter;
  const conditions = untimedConditions(filter);
  if (from) conditions.push(sql`a.timestamp >= ${from.toISOString()}::timestamptz`);
  if (to) conditions.push(sql`a.timestamp <= ${to.toISOString()}::timestamptz`);
  return conditions;
}

/** True if only the organization narrows the rows: the chain heads then know the total. */
export const isUnfiltered = (filter: RowFilter): boolean => conditionsOf(filter).length === 0;

/** True if only time and the organization narrow the rows. */
export const isTimed = ({ from: _, to: __, ...filter }: RowFilter): boolean => isUnfiltered(filter);

/** True if the hourly tallies can count the rows: only kind, result and time narrow them. */
export const isTallied = (filter: RowFilter): boolean =>
  conditionsOn(
    filter,
    ROW_FILTERS.filter((name) => !KIND_FILTERS.includes(name)),
  ).length === 0 && textConditions(filter).length === 0;
