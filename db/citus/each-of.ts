import { type SQL, sql } from "drizzle-orm";
import { env } from "@/server/env";

/**
 * Organizations as a set of rows `o(id)`. Where the tables are distributed, one is a constant, which leads the statement to
 * its node, and several are rows of a table that is distributed likewise, to which each node joins its own shards.
 */
export function eachOf(orgIds: readonly string[]): SQL {
  const ids = sql.param([...orgIds]);
  if (!env().TRAILMARK_CITUS) return sql`unnest(${ids}::uuid[]) AS o(id)`;
  if (orgIds.length === 1) return sql`(SELECT ${orgIds[0]}::uuid) AS o(id)`;
  return sql`(SELECT p.org_id FROM audit_retention_policies p WHERE p.org_id = ANY (${ids}::uuid[])) AS o(id)`;
}

/** All organizations as the same; they have a policy from when they are made. */
export const everyOne = (): SQL =>
  env().TRAILMARK_CITUS
    ? sql`(SELECT p.org_id FROM audit_retention_policies p) AS o(id)`
    : sql`(SELECT id FROM organizations) AS o(id)`;
