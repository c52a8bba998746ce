import { isIP } from "node:net";
import { type SQL, sql } from "drizzle-orm";
import { CATEGORY_PREFIXES } from "@/server/audit/actions";
import type { Filters } from "@/server/audit/schema";
import { keysOf } from "@/server/audit/vocabulary";
import { containsPattern } from "@/server/text";
import { EXCLUDED_BARE, type FilterName, toExclusion } from "./catalogue";

/** Which rows are asked for: the common filters, and the text of a search in the five searched fields. */
export type AuditFilter = Omit<Partial<Filters>, "actions"> & {
  q?: string | undefined;
  actions?: readonly string[] | undefined;
};

const either = (conditions: SQL[]): SQL => sql`(${sql.join(conditions, sql` OR `)})`;
const listOf = (values: readonly string[]): SQL => sql`${sql.param([...values])}::text[]`;

/** A condition on rows `a` that holds where any of the values matches. */
type Condition = (values: readonly string[]) => SQL;

const isOneOf =
  (column: string): Condition =>
  (values) =>
    values.length === 1 ? sql`${sql.raw(column)} = ${values[0]}` : sql`${sql.raw(column)} = ANY (${listOf(values)})`;
const contains =
  (...columns: string[]): Condition =>
  (values) =>
    either(values.flatMap((text) => columns.map((column) => sql`${sql.raw(column)} ILIKE ${containsPattern(text)}`)));

function isOfCategory(category: string): SQL {
  const startsWith = (prefixes: readonly string[]) => either(prefixes.map((p) => sql`starts_with(a.action, ${p})`));
  const named = CATEGORY_PREFIXES.find(([name]) => name === category);
  return named ? startsWith(named[1]) : sql`NOT ${startsWith(CATEGORY_PREFIXES.flatMap(([, prefixes]) => prefixes))}`;
}

/** People whose name contains the text; row level security leaves those whom the caller may know. */
export const namedPeople = (text: string): SQL =>
  sql`SELECT u.id FROM users u WHERE u.name ILIKE ${containsPattern(text)}`;

/** Devices whose hostname contains the text. */
export const namedDevices = (text: string): SQL =>
  sql`SELECT d.id FROM devices d WHERE d.hostname ILIKE ${containsPattern(text)}`;

/** The ids of the agents on such devices; an agent's id may be of any shape. */
export const agentsOn = (text: string): SQL =>
  sql`SELECT g.id FROM agents g JOIN devices d ON d.id = g.device_id WHERE d.hostname ILIKE ${containsPattern(text)}`;

function involvesDevice(text: string): SQL {
  const agents = sql`ARRAY(${agentsOn(text)})`;
  return sql`((a.resource_type = 'device' AND a.resource_name ILIKE ${containsPattern(text)})
    OR a.resource_id = ANY (ARRAY(${namedDevices(text)}))
    OR (a.actor_type = 'agent' AND (a.actor_id::text = ANY (${agents}) OR a.details ->> 'rawActorId' = ANY (${agents}))))`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An actor by its id, or where that is no UUID as the details keep it. */
const isActor = (id: string): SQL =>
  UUID.test(id) ? sql`a.actor_id = ${id}::uuid` : sql`a.details ->> 'rawActorId' = ${id}`;

/** An address is meant as it stands, anything else as the beginning of addresses. */
export const isWholeAddress = (ip: string): boolean => isIP(ip) !== 0;

/** The condition of each filter, in the order in which a row is tested: cheap ones first, the text of the details last. */
export const CONDITIONS: Record<FilterName, Condition> = {
  actorType: isOneOf("a.actor_type"),
  result: isOneOf("a.result"),
  actions: isOneOf("a.action"),
  action: contains("a.action"),
  category: (values) => either(values.map(isOfCategory)),
  actorId: (ids) => either(ids.map(isActor)),
  rawActorId: isOneOf("a.details ->> 'rawActorId'"),
  user: (values) =>
    either(
      values.map(
        (text) => sql`(a.actor_email ILIKE ${containsPattern(text)} OR a.actor_id = ANY (ARRAY(${namedPeople(text)})))`,
      ),
    ),
  ip: (values) =>
    either(
      values.map((ip) => (isWholeAddress(ip) ? sql`a.ip_address = ${ip}` : sql`starts_with(a.ip_address, ${ip})`)),
    ),
  resourceId: (ids) => either(ids.map((id) => sql`a.resource_id = ${id}::uuid`)),
  resourceType: isOneOf("a.resource_type"),
  resource: contains("a.resource_type", "a.resource_name"),
  device: (values) => either(values.map(involvesDevice)),
  orgId: isOneOf("a.org_id::text"),
  /** Spec, GET /audit-logs/search: the five fields. */
  q: contains("a.action", "a.actor_email", "a.resource_type", "a.resource_name", "a.details::text"),
};

const NAMES = keysOf(CONDITIONS);
/** Filters on the action alone. */
const ON_ACTION: readonly FilterName[] = ["actions", "action", "category"];
/** Filters that the tallies know too (db: audit_search_tally). */
const TALLIED: readonly FilterName[] = ["actorType", "result", ...ON_ACTION];
const UNTALLIED = NAMES.filter((name) => !TALLIED.includes(name));

/** The values of which a filter wants one; an organization has narrowed the caller's scope already. */
export function valuesOf(filter: AuditFilter, name: FilterName): readonly string[] {
  const value = name === "orgId" ? undefined : filter[name];
  return typeof value === "string" ? (value ? [value] : []) : (value ?? []);
}

/** The values of a filter that are excluded. */
export function excludedOf(filter: AuditFilter, name: FilterName): readonly string[] {
  if (name === EXCLUDED_BARE) return filter.excludeActions ?? [];
  return (filter.exclude ?? []).flatMap((part) => {
    const exclusion = toExclusion(part);
    return exclusion?.name === name ? [exclusion.value] : [];
  });
}

function conditionsFor(filter: AuditFilter, names: readonly FilterName[]): SQL[] {
  return names.flatMap((name) => {
    const [wanted, unwanted] = [valuesOf(filter, name), excludedOf(filter, name)];
    return [
      ...(wanted.length > 0 ? [CONDITIONS[name](wanted)] : []),
      ...(unwanted.length > 0 ? [sql`(${CONDITIONS[name](unwanted)}) IS NOT TRUE`] : []),
    ];
  });
}

/** The conditions on the action alone. */
export const actionConditions = (filter: AuditFilter): SQL[] => conditionsFor(filter, ON_ACTION);

/** The conditions on action, actor type and result: those that the tallies know too. */
export const talliedConditions = (filter: AuditFilter): SQL[] => conditionsFor(filter, TALLIED);

/**
 * The conditions of a filter over audit_logs as `a`, without the organization's: one code path for list, search,
 * export, reports and facets, so that an export equals its screen.
 */
export function conditionsOf(filter: AuditFilter): SQL[] {
  const { from, to } = filter;
  const conditions = conditionsFor(filter, NAMES);
  if (from) conditions.push(sql`a.timestamp >= ${from.toISOString()}::timestamptz`);
  if (to) conditions.push(sql`a.timestamp <= ${to.toISOString()}::timestamptz`);
  return conditions;
}

/** True when nothing but the organization narrows the rows: then the chain heads know the total. */
export const isUnfiltered = (filter: AuditFilter): boolean => conditionsOf(filter).length === 0;

/** True when the tallies can count the rows: nothing but action, actor type, result and time narrows them. */
export const isTallied = (filter: AuditFilter): boolean => conditionsFor(filter, UNTALLIED).length === 0;
