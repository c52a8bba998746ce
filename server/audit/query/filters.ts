import { isIP } from "node:net";
import { type SQL, sql } from "drizzle-orm";
import { CATEGORY_PREFIXES } from "@/server/audit/actions";
import type { EXCLUDABLE, Filters } from "@/server/audit/schema";
import { containsPattern } from "@/server/text";

/** What rows are looked for: the common filters, and the text of a search in the five searched fields. */
export type Question = Omit<Partial<Filters>, "actions"> & {
  q?: string | undefined;
  actions?: readonly string[] | undefined;
};

const either = (conditions: SQL[]): SQL => sql`(${sql.join(conditions, sql` OR `)})`;

function ofCategory(category: string): SQL {
  const startsWith = (prefixes: readonly string[]) => either(prefixes.map((p) => sql`starts_with(a.action, ${p})`));
  const named = CATEGORY_PREFIXES.find(([name]) => name === category);
  return named ? startsWith(named[1]) : sql`NOT ${startsWith(CATEGORY_PREFIXES.flatMap(([, prefixes]) => prefixes))}`;
}

/** Spec, GET /audit-logs/search: the five fields. */
const SEARCHED = ["action", "actor_email", "resource_type", "resource_name", "details::text"].map((f) =>
  sql.raw(`a.${f}`),
);

/** People whose name holds the text; row level security leaves those whom the caller may know. */
export const namedPeople = (text: string): SQL =>
  sql`SELECT u.id FROM users u WHERE u.name ILIKE ${containsPattern(text)}`;

/** Devices whose hostname holds the text. */
export const namedDevices = (text: string): SQL =>
  sql`SELECT d.id FROM devices d WHERE d.hostname ILIKE ${containsPattern(text)}`;

/** The ids of the agents on such devices; an agent's id may be of any shape. */
export const agentsOn = (text: string): SQL =>
  sql`SELECT g.id FROM agents g JOIN devices d ON d.id = g.device_id WHERE d.hostname ILIKE ${containsPattern(text)}`;

const listOf = (values: readonly string[]): SQL => sql`${sql.param([...values])}::text[]`;

/** The values that are to be left out of one field. */
export const excluded = ({ exclude }: Question, field: (typeof EXCLUDABLE)[number]): string[] =>
  (exclude ?? []).filter((part) => part.startsWith(`${field}:`)).map((part) => part.slice(field.length + 1));

/** The conditions on what a row's action, actor type and result are: those that the tallies know too. */
export function kindConditions(question: Question): SQL[] {
  const { actorType, result } = question;
  const [types, results] = [excluded(question, "actorType"), excluded(question, "result")];
  const conditions: SQL[] = [];
  if (actorType) conditions.push(sql`a.actor_type = ${actorType}`);
  if (types.length) conditions.push(sql`a.actor_type <> ALL (${listOf(types)})`);
  if (result) conditions.push(sql`a.result = ${result}`);
  if (results.length) conditions.push(sql`a.result <> ALL (${listOf(results)})`);
  return [...conditions, ...actionConditions(question)];
}

/** The conditions on the action alone. */
export function actionConditions(question: Question): SQL[] {
  const { action, category, excludeActions, actions } = question;
  const conditions: SQL[] = [];
  if (actions?.length) conditions.push(sql`a.action = ANY (${listOf(actions)})`);
  if (action) conditions.push(sql`a.action ILIKE ${containsPattern(action)}`);
  if (category) conditions.push(ofCategory(category));
  if (excludeActions?.length) conditions.push(sql`a.action <> ALL (${listOf(excludeActions)})`);
  for (const other of excluded(question, "category")) conditions.push(sql`NOT ${ofCategory(other)}`);
  return conditions;
}

/** An address is meant as it stands, anything else as the beginning of some. */
export const isWholeAddress = (ip: string): boolean => isIP(ip) !== 0;

/** Who acted, and from where. */
function actorConditions(question: Question): SQL[] {
  const { user, actorId, rawActorId, ip } = question;
  const [actors, addresses] = [excluded(question, "actorId"), excluded(question, "ip")];
  const conditions: SQL[] = [];
  if (actorId) conditions.push(sql`a.actor_id = ${actorId}::uuid`);
  if (rawActorId) conditions.push(sql`a.details ->> 'rawActorId' = ${rawActorId}`);
  if (user)
    conditions.push(
      sql`(a.actor_email ILIKE ${containsPattern(user)} OR a.actor_id = ANY (ARRAY(${namedPeople(user)})))`,
    );
  if (ip) conditions.push(isWholeAddress(ip) ? sql`a.ip_address = ${ip}` : sql`starts_with(a.ip_address, ${ip})`);
  if (actors.length)
    conditions.push(
      sql`(a.actor_id::text = ANY (${listOf(actors)}) OR a.details ->> 'rawActorId' = ANY (${listOf(actors)})) IS NOT TRUE`,
    );
  if (addresses.length) conditions.push(sql`(a.ip_address = ANY (${listOf(addresses)})) IS NOT TRUE`);
  return conditions;
}

/** To what it was done. */
function targetConditions(question: Question): SQL[] {
  const { resource, resourceId, resourceType, device } = question;
  const [kinds, orgs] = [excluded(question, "resourceType"), excluded(question, "orgId")];
  const conditions: SQL[] = [];
  if (resourceId) conditions.push(sql`a.resource_id = ${resourceId}::uuid`);
  if (resourceType) conditions.push(sql`a.resource_type = ${resourceType}`);
  if (resource) {
    const pattern = containsPattern(resource);
    conditions.push(sql`(a.resource_type ILIKE ${pattern} OR a.resource_name ILIKE ${pattern})`);
  }
  if (device) {
    const agents = sql`ARRAY(${agentsOn(device)})`;
    conditions.push(sql`((a.resource_type = 'device' AND a.resource_name ILIKE ${containsPattern(device)})
      OR a.resource_id = ANY (ARRAY(${namedDevices(device)}))
      OR (a.actor_type = 'agent' AND (a.actor_id::text = ANY (${agents}) OR a.details ->> 'rawActorId' = ANY (${agents}))))`);
  }
  if (kinds.length) conditions.push(sql`a.resource_type <> ALL (${listOf(kinds)})`);
  if (orgs.length) conditions.push(sql`a.org_id::text <> ALL (${listOf(orgs)})`);
  return conditions;
}

/** What kindConditions leaves out. */
function otherConditions(question: Question): SQL[] {
  const { q } = question;
  const conditions = [...actorConditions(question), ...targetConditions(question)];
  if (q) conditions.push(either(SEARCHED.map((field) => sql`${field} ILIKE ${containsPattern(q)}`)));
  return conditions;
}

/**
 * The conditions of a question over audit_logs as `a`, without the organization's: one code path for list, search,
 * export, reports and facets, so that an export equals its screen.
 */
export function conditionsOf(question: Question): SQL[] {
  const { from, to } = question;
  const conditions = [...kindConditions(question), ...otherConditions(question)];
  if (from) conditions.push(sql`a.timestamp >= ${from.toISOString()}::timestamptz`);
  if (to) conditions.push(sql`a.timestamp <= ${to.toISOString()}::timestamptz`);
  return conditions;
}

/** True when nothing but the organization narrows the rows: then the chain heads know the total. */
export const isUnfiltered = (question: Question): boolean => conditionsOf(question).length === 0;

/** True when the tallies can count the rows: nothing but kind and time narrows them. */
export const isTallied = (question: Question): boolean => otherConditions(question).length === 0;
