import { type SQL, sql } from "drizzle-orm";
import { databaseSettings } from "@/db/settings";

/**
 * The organizations of a distributed database on the nodes that hold them, as far as a condition on `org_id` goes. No
 * distributed table has a row for each: a policy, a head or a tree may be missing, and all three where there is no history.
 */
const onNodes = (where: SQL): SQL => sql`(SELECT p.org_id FROM audit_retention_policies p ${where}
  UNION SELECT h.org_id FROM audit_chain_heads h ${where}
  UNION SELECT t.org_id FROM audit_trees t ${where})`;

const among = (ids: SQL): SQL => onNodes(sql`WHERE org_id = ANY (${ids})`);

/**
 * Organizations as a set of rows `o(id)`. Where the tables are distributed, one is a constant, which leads the statement to
 * its node, and several are rows of tables that are distributed likewise, to which each node joins its own shards: there
 * those without policy, head and tree are left out.
 */
export function eachOf(orgIds: readonly string[]): SQL {
  const ids = sql`${sql.param([...orgIds])}::uuid[]`;
  if (!databaseSettings().TRAILMARK_CITUS) return sql`unnest(${ids}) AS o(id)`;
  if (orgIds.length === 1) return sql`(SELECT ${orgIds[0]}::uuid) AS o(id)`;
  return sql`${among(ids)} AS o(id)`;
}

/** The same with a whole number for each: rows `o(id, n)`. */
export function eachWith(numbers: ReadonlyMap<string, number>): SQL {
  const ids = sql`${sql.param([...numbers.keys()])}::uuid[]`;
  const ns = sql`${sql.param([...numbers.values()])}::bigint[]`;
  if (!databaseSettings().TRAILMARK_CITUS) return sql`unnest(${ids}, ${ns}) AS o(id, n)`;
  if (numbers.size === 1) return sql`(SELECT (${ids})[1], (${ns})[1]) AS o(id, n)`;
  return sql`(SELECT e.id, (${ns})[array_position(${ids}, e.id)] FROM ${among(ids)} AS e(id)) AS o(id, n)`;
}

/** All organizations as rows `o(id)`. */
export const everyOne = (): SQL =>
  databaseSettings().TRAILMARK_CITUS ? sql`${onNodes(sql``)} AS o(id)` : sql`(SELECT id FROM organizations) AS o(id)`;

/** The organizations of a partner as such a set. */
export function everyOneOf(partnerId: string): SQL {
  const theirs = sql`(SELECT id FROM organizations WHERE partner_id = ${partnerId})`;
  return databaseSettings().TRAILMARK_CITUS ? sql`${among(sql`ARRAY${theirs}`)} AS o(id)` : sql`${theirs} AS o(id)`;
}

/** The heads `h` of the chains of such a set, to be joined to it: rows of the nodes, or what a function shows of them. */
export const headsOf = (chains: SQL): SQL =>
  databaseSettings().TRAILMARK_CITUS
    ? sql`LATERAL (SELECT * FROM audit_chain_heads t WHERE t.org_id = o.id LIMIT 1)`
    : sql`audit_chain_heads_of(ARRAY(SELECT o.id FROM ${chains}))`;
