import { type SQL, sql } from "drizzle-orm";
import type postgres from "postgres";

/** Settings read by row-level security; mode "system" is the platform's own sight. */
export type TenantSettings = { mode: string; orgIds: string; partnerId: string };

/** An INSERT … SELECT FROM the CTE `tenant`, created by its connection. */
export type TenantInsert = (sql: postgres.ISql) => postgres.PendingQuery<postgres.Row[]>;

/** Audit rows and their columns in the order of audit_append(): a row's member, and its SQL type. */
export type Batch = {
  columns: readonly { field: string; type: string }[];
  rows: readonly ({ orgId: string } & Readonly<Record<string, string | null>>)[];
};

/** Faults of the chain's guards on all answering nodes, and the nodes that do not answer. */
type ChainHealth = { faults: string[]; silent: string[] };

/** A span of an organization's chain: rows after one sequence through another. */
type Span = { orgId: string; after: number; through: number };

/**
 * Layout of history on one server or a Citus cluster, and the statements that depend on it. A cluster distributes
 * history by organization; everything else is on the coordinator.
 */
export type Layout = {
  /** Organizations as rows `o(id)`. A cluster omits organizations without policy, head and tree. */
  eachOf: (orgIds: readonly string[]) => SQL;
  /** Organizations with a number each: rows `o(id, n)`. */
  eachWith: (numbers: ReadonlyMap<string, number>) => SQL;
  /** All organizations as rows `o(id)`. */
  everyOne: () => SQL;
  /** The organizations of a partner as rows `o(id)`. */
  everyOneOf: (partnerId: string) => SQL;
  /** Heads `h` of chains, to be joined with such a set. */
  headsOf: (chains: SQL) => SQL;
  /** Spans of chains as rows `o(id, after, through)`, one statement per element. */
  spansOf: (spans: readonly Span[]) => SQL[];
  /** Rows `a` for keys; a key without a row gives none. */
  rowsAt: (keys: SQL) => SQL;
  /** Messages that set the tenant for the current transaction; requestId names it in pg_stat_activity. */
  tenantSettings: (tenant: TenantSettings, requestId: string | undefined) => SQL[];
  insertAs: (pool: postgres.Sql, tenant: TenantSettings, inserts: readonly TenantInsert[]) => Promise<number>;
  /** Seals and stores a batch outside any transaction. @returns rows not stored, because another entry has their id. */
  append: (pool: postgres.Sql, batch: Batch) => Promise<Batch["rows"]>;
  /** Connections of the batch writer, and batches in flight. */
  writer: { connections: number; batches: number };
  /** Makes the planner prefer indexes until the transaction ends; undefined if impossible. */
  byIndexOrder: SQL | undefined;
  /** Whether texts and counts of history are indexed in the background. */
  isIndexed: boolean;
  /** Whether other connections can read in one's snapshot. */
  sharesSnapshots: boolean;
  /** Checks triggers, policies, rights and functions; on a cluster every shard on every node. */
  chainHealth: (pool: postgres.Sql) => Promise<ChainHealth>;
};

/** Result of the append functions: positions in the batch, from 1. */
export type Taken = { taken: number[] };

export const takenOf = <Row>(rows: readonly Row[], answer: Taken | undefined): Row[] =>
  (answer?.taken ?? []).flatMap((place) => rows[place - 1] ?? []);

const asArray = ({ type }: { type: string }, i: number): string =>
  `$${i + 1}::text::${type === "jsonb" ? "text" : type}[]`;

const element = (value: string | null | undefined): string =>
  value == null ? "NULL" : `"${/["\\]/.test(value) ? value.replace(/["\\]/g, "\\$&") : value}"`;

/** A column of rows as an array in PostgreSQL's syntax: the driver's own takes three times as long. */
const columnOf = (rows: Batch["rows"], field: string): string =>
  `{${rows.map((row) => element(row[field])).join(",")}}`;

/** Groups rows by organization, in order: the function then looks up each chain once. */
function byOrganization(rows: Batch["rows"]): Batch["rows"] {
  const places = new Map<string, number>();
  for (const { orgId } of rows) if (!places.has(orgId)) places.set(orgId, places.size);
  return places.size === 1 ? rows : rows.toSorted((a, b) => Number(places.get(a.orgId)) - Number(places.get(b.orgId)));
}

/**
 * Prepared statements are planned for their values each time, because organizations differ by orders of magnitude. The
 * request's id is a parameter: as a comment it would make every statement a different text.
 */
function tenantSettings({ mode, orgIds, partnerId }: TenantSettings, requestId: string | undefined): SQL[] {
  const name = requestId ? sql`, set_config('application_name', ${`trailmark request ${requestId}`}, true)` : sql``;
  return [
    sql`SELECT set_config('trailmark.scope', ${mode}, true), set_config('trailmark.org_ids', ${orgIds}, true),
      set_config('trailmark.partner_id', ${partnerId}, true), set_config('plan_cache_mode', 'force_custom_plan', true)${name}`,
  ];
}

/** The CTE sets the tenant before the first row is checked: a single insert takes one round trip instead of four. */
async function insertAs(pool: postgres.Sql, tenant: TenantSettings, inserts: readonly TenantInsert[]): Promise<number> {
  const { mode, orgIds, partnerId } = tenant;
  const send = (to: postgres.ISql, insert: TenantInsert) => to`
    WITH tenant AS MATERIALIZED (
      SELECT set_config('trailmark.scope', ${mode}, true), set_config('trailmark.org_ids', ${orgIds}, true),
        set_config('trailmark.partner_id', ${partnerId}, true))
    ${insert(to)}`;
  const [only] = inserts;
  if (only && inserts.length === 1) return (await send(pool, only)).count;
  // Pipelined on one connection: a single round trip.
  const results = await pool.begin((tx) => inserts.map((insert) => send(tx, insert)));
  return results.reduce((sum, { count }) => sum + count, 0);
}

export const oneServer: Layout = {
  eachOf: (orgIds) => sql`unnest(${sql.param([...orgIds])}::uuid[]) AS o(id)`,
  eachWith: (numbers) =>
    sql`unnest(${sql.param([...numbers.keys()])}::uuid[], ${sql.param([...numbers.values()])}::bigint[]) AS o(id, n)`,
  everyOne: () => sql`(SELECT id FROM organizations) AS o(id)`,
  everyOneOf: (partnerId) => sql`(SELECT id FROM organizations WHERE partner_id = ${partnerId}) AS o(id)`,
  headsOf: (chains) => sql`audit_chain_heads_of(ARRAY(SELECT o.id FROM ${chains}))`,
  spansOf: (spans) => {
    const column = (name: keyof Span) => sql.param(spans.map((span) => span[name]));
    return [
      sql`unnest(${column("orgId")}::uuid[], ${column("after")}::bigint[], ${column("through")}::bigint[]) AS o(id, after, through)`,
    ];
  },
  rowsAt: (keys) => sql`(${keys}) AS keys(org_id, chain_seq, at),
    LATERAL (SELECT * FROM audit_logs l WHERE l.org_id = keys.org_id AND l.chain_seq = keys.chain_seq OFFSET 0) a`,
  tenantSettings,
  insertAs,
  append: async (pool, { columns, rows: given }) => {
    const rows = byOrganization(given);
    const statement = `SELECT audit_append(${columns.map(asArray).join(", ")}) AS taken`;
    const arrays = columns.map(({ field }) => columnOf(rows, field));
    const [answer] = await pool.unsafe<Taken[]>(statement, arrays, { prepare: true });
    return takenOf(rows, answer);
  },
  // The second batch is sent while the database works on the first.
  writer: { connections: 1, batches: 2 },
  byIndexOrder: sql`SELECT set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true)`,
  isIndexed: true,
  sharesSnapshots: true,
  chainHealth: async (pool) => {
    const [row] = await pool<{ faults: string[] }[]>`SELECT audit_chain_health() AS faults`;
    return { faults: row?.faults ?? [], silent: [] };
  },
};
