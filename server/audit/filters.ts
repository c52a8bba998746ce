import { type SQL, sql } from "drizzle-orm";
import { CATEGORY_PREFIXES } from "./actions";
import type { Filters } from "./schema";

/** A text as an ILIKE pattern that finds it anywhere; wildcards in it are literal. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

function ofCategory(category: string): SQL {
  const startsWith = (prefixes: readonly string[]) =>
    sql`(${sql.join(
      prefixes.map((p) => sql`starts_with(a.action, ${p})`),
      sql` OR `,
    )})`;
  const named = CATEGORY_PREFIXES.find(([name]) => name === category);
  return named ? startsWith(named[1]) : sql`NOT ${startsWith(CATEGORY_PREFIXES.flatMap(([, prefixes]) => prefixes))}`;
}

/**
 * The conditions of a filter over audit_logs as `a`, without the organization's: one code path for list, search,
 * export, reports and facets, so that an export equals its screen.
 */
export function conditionsOf(filters: Partial<Filters>): SQL[] {
  const conditions: SQL[] = [];
  const { user, action, resource, from, to, actorType, result, category, actorId, resourceId, excludeActions } =
    filters;
  if (from) conditions.push(sql`a.timestamp >= ${from.toISOString()}::timestamptz`);
  if (to) conditions.push(sql`a.timestamp <= ${to.toISOString()}::timestamptz`);
  if (user) {
    const pattern = containing(user);
    conditions.push(
      sql`(a.actor_email ILIKE ${pattern} OR a.actor_id = ANY (ARRAY(SELECT u.id FROM users u WHERE u.name ILIKE ${pattern})))`,
    );
  }
  if (action) conditions.push(sql`a.action ILIKE ${containing(action)}`);
  if (resource) {
    const pattern = containing(resource);
    conditions.push(sql`(a.resource_type ILIKE ${pattern} OR a.resource_name ILIKE ${pattern})`);
  }
  if (actorType) conditions.push(sql`a.actor_type = ${actorType}`);
  if (result) conditions.push(sql`a.result = ${result}`);
  if (category) conditions.push(ofCategory(category));
  if (actorId) conditions.push(sql`a.actor_id = ${actorId}::uuid`);
  if (resourceId) conditions.push(sql`a.resource_id = ${resourceId}::uuid`);
  if (excludeActions?.length) conditions.push(sql`a.action <> ALL (${sql.param(excludeActions)}::text[])`);
  return conditions;
}

/** True when nothing but the organization narrows the rows: then the chain heads know the total. */
export const isUnfiltered = (filters: Partial<Filters>): boolean => conditionsOf(filters).length === 0;
