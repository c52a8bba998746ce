import { type SQL, sql } from "drizzle-orm";
import { databaseSettings } from "@/db/settings";
import { type Batch, type Layout, oneServer, type Taken, type TenantSettings, takenOf } from "./one-server";

/**
 * Organizations on their nodes, selected by a condition on `org_id`. No distributed table has a row for each: policy,
 * head or tree may be missing, and all three without history.
 */
const onNodes = (where: SQL): SQL => sql`(SELECT p.org_id FROM audit_retention_policies p ${where}
  UNION SELECT h.org_id FROM audit_chain_heads h ${where}
  UNION SELECT t.org_id FROM audit_trees t ${where})`;

const among = (ids: SQL): SQL => onNodes(sql`WHERE org_id = ANY (${ids})`);

/** Settings made by a function stay on the coordinator; SET LOCAL is sent to other nodes, as a separate message. */
function travelling({ mode, orgIds, partnerId }: TenantSettings): string[] {
  return Object.entries({ "trailmark.scope": mode, "trailmark.org_ids": orgIds, "trailmark.partner_id": partnerId })
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `SET LOCAL ${name} = '${value.replaceAll("'", "''")}'`);
}

const asArray = ({ type }: { type: string }, i: number): string =>
  type === "timestamptz" ? `$${i + 2}::text[]::timestamptz[]` : `$${i + 2}::${type === "jsonb" ? "text" : type}[]`;

/** Statements over distributed history: one organization is a constant, which selects its node. */
export const cluster: Layout = {
  eachOf: (orgIds) =>
    orgIds.length === 1
      ? sql`(SELECT ${orgIds[0]}::uuid) AS o(id)`
      : sql`${among(sql`${sql.param([...orgIds])}::uuid[]`)} AS o(id)`,
  eachWith: (numbers) => {
    const ids = sql`${sql.param([...numbers.keys()])}::uuid[]`;
    const ns = sql`${sql.param([...numbers.values()])}::bigint[]`;
    if (numbers.size === 1) return sql`(SELECT (${ids})[1], (${ns})[1]) AS o(id, n)`;
    return sql`(SELECT e.id, (${ns})[array_position(${ids}, e.id)] FROM ${among(ids)} AS e(id)) AS o(id, n)`;
  },
  everyOne: () => sql`${onNodes(sql``)} AS o(id)`,
  everyOneOf: (partnerId) =>
    sql`${among(sql`ARRAY(SELECT id FROM organizations WHERE partner_id = ${partnerId})`)} AS o(id)`,
  headsOf: () => sql`LATERAL (SELECT * FROM audit_chain_heads t WHERE t.org_id = o.id LIMIT 1)`,
  spansOf: (spans) =>
    spans.map(
      ({ orgId, after, through }) =>
        sql`(SELECT ${orgId}::uuid, ${after}::bigint, ${through}::bigint) AS o(id, after, through)`,
    ),
  rowsAt: (keys) => sql`(${keys}) AS keys(org_id, chain_seq, at)
    JOIN audit_logs a ON a.org_id = keys.org_id AND a.chain_seq = keys.chain_seq`,
  tenantSettings: (tenant) =>
    [...travelling(tenant), "SET LOCAL plan_cache_mode = force_custom_plan"].map((one) => sql.raw(one)),
  insertAs: async (pool, tenant, inserts) => {
    const results = await pool.begin((tx) => [
      ...travelling(tenant).map((setting) => tx.unsafe(setting)),
      ...inserts.map((insert) => tx`WITH tenant AS (SELECT 1) ${insert(tx)}`),
    ]);
    return results.reduce((sum, { count }) => sum + (count ?? 0), 0);
  },
  /**
   * One transaction per organization, on its node. If some fail, the others are stored; on a retry they are known and
   * skipped. Planned with its values each time, because they select the node.
   */
  append: async (pool, { columns, rows }) => {
    const others = columns.filter(({ field }) => field !== "orgId");
    const byOrg = new Map<string, Batch["rows"][number][]>();
    for (const row of rows) {
      const own = byOrg.get(row.orgId);
      if (own) own.push(row);
      else byOrg.set(row.orgId, [row]);
    }
    const statement = `SELECT audit_append_org($1::uuid, ${others.map(asArray).join(", ")}) AS taken`;
    const answers = await Promise.allSettled(
      [...byOrg].map(async ([orgId, own]) => {
        const values = others.map(({ field }) => own.map((row) => row[field] ?? null));
        const [answer] = await pool.unsafe<Taken[]>(statement, [orgId, ...values]);
        return takenOf(own, answer);
      }),
    );
    return answers.flatMap((answer) => {
      if (answer.status === "rejected") throw answer.reason;
      return answer.value;
    });
  },
  // The organizations of a batch are written in parallel, and a second batch would overtake the first.
  writer: { connections: 8, batches: 1 },
  // The settings would stay on the coordinator, which has no generic plan for its functions' queries to nodes.
  byIndexOrder: undefined,
  isIndexed: false,
  sharesSnapshots: false,
  chainHealth: async (pool) => {
    const nodes = await pool<{ node: string; answers: boolean; faults: string[] }[]>`
      SELECT node, answers, faults FROM audit_cluster_health()`;
    return {
      faults: nodes.flatMap(({ faults }) => faults),
      silent: nodes.filter(({ answers }) => !answers).map(({ node }) => node),
    };
  },
};

export const layout = (): Layout => (databaseSettings().TRAILMARK_CITUS ? cluster : oneServer);
