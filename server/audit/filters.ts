import { type SQL, sql } from "drizzle-orm";
import { containsPattern } from "../text";
import { CATEGORY_PREFIXES } from "./actions";
import type { Filters } from "./schema";

/** What rows are looked for: the common filters, and what search, reports and related entries add to them. */
export type Question = Partial<Filters> & {
  /** Text anywhere in the five searched fields. */
  q?: string;
  /** One of these actions, exactly. */
  actions?: readonly string[];
  /** The actor's own id where it is no UUID. */
  rawActorId?: string;
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

const oneOf = (values: readonly string[]): SQL => sql`${sql.param([...values])}::text[]`;

/** The conditions on what a row's action, actor type and result are: those that the tallies know too. */
export function kindConditions({ action, category, excludeActions, actions, actorType, result }: Question): SQL[] {
  const conditions: SQL[] = [];
  if (actorType) conditions.push(sql`a.actor_type = ${actorType}`);
  if (result) conditions.push(sql`a.result = ${result}`);
  return [...conditions, ...actionConditions({ action, category, excludeActions, actions })];
}

/** The conditions on the action alone. */
export function actionConditions({ action, category, excludeActions, actions }: Question): SQL[] {
  const conditions: SQL[] = [];
  if (actions) conditions.push(sql`a.action = ANY (${oneOf(actions)})`);
  if (action) conditions.push(sql`a.action ILIKE ${containsPattern(action)}`);
  if (category) conditions.push(ofCategory(category));
  if (excludeActions?.length) conditions.push(sql`a.action <> ALL (${oneOf(excludeActions)})`);
  return conditions;
}

/** What kindConditions leaves out. */
function otherConditions({ user, resource, actorId, resourceId, rawActorId, q }: Question): SQL[] {
  const conditions: SQL[] = [];
  if (actorId) conditions.push(sql`a.actor_id = ${actorId}::uuid`);
  if (resourceId) conditions.push(sql`a.resource_id = ${resourceId}::uuid`);
  if (rawActorId) conditions.push(sql`a.details ->> 'rawActorId' = ${rawActorId}`);
  if (user)
    conditions.push(
      sql`(a.actor_email ILIKE ${containsPattern(user)} OR a.actor_id = ANY (ARRAY(${namedPeople(user)})))`,
    );
  if (resource) {
    const pattern = containsPattern(resource);
    conditions.push(sql`(a.resource_type ILIKE ${pattern} OR a.resource_name ILIKE ${pattern})`);
  }
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
