import { type SQL, sql } from "drizzle-orm";
import type postgres from "postgres";

/** The settings that row level security reads; mode is "system" for the platform's own sight. */
export type TenantSettings = { mode: string; orgIds: string; partnerId: string };

/** An INSERT … SELECT that draws its rows FROM the CTE `tenant`, made by the connection that will send it. */
export type TenantInsert = (sql: postgres.ISql) => postgres.PendingQuery<postgres.Row[]>;

/** Audit rows, and their columns in the order of audit_append(): the member of a row, and its SQL type. */
export type Batch = {
  columns: readonly { field: string; type: string }[];
  rows: readonly ({ orgId: string } & Readonly<Record<string, string | null>>)[];
};

/** Faults of the guards that the chain rests on, over all nodes that answer, and the nodes that do not. */
type ChainHealth = { faults: string[]; silent: string[] };

/** A piece of an organization's chain: the rows after one sequence through another. */
type Span = { orgId: string; after: number; through: number };

/**
 * How history is laid out, on one server or over the nodes of a Citus cluster, and the statements that depend on it. All
 * of history is distributed by organization there, everything else is on the coordinator.
 */
export type Layout = {
  /** Organizations as a set of rows `o(id)`. A cluster leaves out those without policy, head and tree. */
  eachOf: (orgIds: readonly string[]) => SQL;
  /** The same with a whole number for each: rows `o(id, n)`. */
  eachWith: (numbers: ReadonlyMap<string, number>) => SQL;
  /** All organizations as rows `o(id)`. */
  everyOne: () => SQL;
  /** The organizations of a partner as rows `o(id)`. */
  everyOneOf: (partnerId: string) => SQL;
  /** The heads `h` of the chains of such a set, to be joined to it. */
  headsOf: (chains: SQL) => SQL;
  /** Pieces of chains as rows `o(id, after, through)`, by as many statements as there are sets. */
  spansOf: (spans: readonly Span[]) => SQL[];
  /** Rows `a` of some keys, for what selects of them; a key whose row is gone gives none. */
  rowsAt: (keys: SQL) => SQL;
  /** Messages that make the tenant's settings for the transaction at hand; requestId names it in pg_stat_activity. */
  tenantSettings: (tenant: TenantSettings, requestId: string | undefined) => SQL[];
  /** Inserts as a tenant, in one transaction. */
  insertAs: (pool: postgres.Sql, tenant: TenantSettings, inserts: readonly TenantInsert[]) => Promise<number>;
  /** Seals and stores a batch outside of any transaction; returns the rows whose id is another entry's, which are not stored. */
  append: (pool: postgres.Sql, batch: Batch) => Promise<Batch["rows"]>;
  /** Connections of the batch writer, and how many batches may be on their way at once. */
  writer: { connections: number; batches: number };
  /** Makes the planner go by indexes for the rest of the transaction; undefined where that cannot be said. */
  byIndexOrder: SQL | undefined;
  /** Whether texts and counts of history are indexed in the background. */
  isIndexed: boolean;
  /** Whether other connections can read in the snapshot of one. */
  sharesSnapshots: boolean;
  /** Looks at triggers, policies, rights and functions; on a cluster at every shard on every node. */
  chainHealth: (pool: postgres.Sql) => Promise<ChainHealth>;
};

/** Answers of the functions that append: places in the batch, from 1. */
export type Taken = { taken: number[] };

export const takenOf = <Row>(rows: readonly Row[], answer: Taken | undefined): Row[] =>
  (answer?.taken ?? []).flatMap((place) => rows[place - 1] ?? []);

const asArray = ({ type }: { type: string }, i: number): string =>
  `$${i + 1}::text::${type === "jsonb" ? "text" : type}[]`;

const element = (value: string | null | undefined): string =>
  value == null ? "NULL" : `"${/["\\]/.test(value) ? value.replace(/["\\]/g, "\\$&") : value}"`;

/** One column of rows as an array in PostgreSQL's spelling: the driver's own takes three times as long. */
const columnOf = (rows: Batch["rows"], field: string): string =>
  `{${rows.map((row) => element(row[field])).join(",")}}`;

/** By organization, as they first appear, each in its order: the function looks a chain up once for all of its rows. */
function byOrganization(rows: Batch["rows"]): Batch["rows"] {
  const places = new Map<string, number>();
  for (const { orgId } of rows) if (!places.has(orgId)) places.set(orgId, places.size);
  return places.size === 1 ? rows : rows.toSorted((a, b) => Number(places.get(a.orgId)) - Number(places.get(b.orgId)));
}

/**
 * Prepared statements are planned for their values each time: organizations differ by orders of magnitude. The request's
 * id is a parameter, because a comment would make each statement a different text, which nothing prepares.
 */
function tenantSettings({ mode, orgIds, partnerId }: TenantSettings, requestId: string | undefined): SQL[] {
  const name = requestId ? sql`, set_config('application_name', ${`trailmark request ${requestId}`}, true)` : sql``;
  return [
    sql`SELECT set_config('trailmark.scope', ${mode}, true), set_config('trailmark.org_ids', ${orgIds}, true),
      set_config('trailmark.partner_id', ${partnerId}, true), set_config('plan_cache_mode', 'force_custom_plan', true)${name}`,
  ];
}

/** The CTE makes the settings before the first row is checked: a single insert is one round trip instead of four. */
async function insertAs(pool: postgres.Sql, tenant: TenantSettings, inserts: readonly TenantInsert[]): Promise<number> {
  const { mode, orgIds, partnerId } = tenant;
  const send = (to: postgres.ISql, insert: TenantInsert) => to`
    WITH tenant AS MATERIALIZED (
      SELECT set_config('trailmark.scope', ${mode}, true), set_config('trailmark.org_ids', ${orgIds}, true),
        set_config('trailmark.partner_id', ${partnerId}, true))
    ${insert(to)}`;
  const [only] = inserts;
  if (only && inserts.length === 1) return (await send(pool, only)).count;
  // The statements leave together, one behind the other on one connection: a single round trip.
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
