import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { FOLDER, functionsOfVersion, MigrationError } from "@/db/version";

const PREPARE = join(FOLDER, "citus", "prepare.sql");

/**
 * Tables whose rows are of one organization each and without bound; the first gives the others its shards. The search
 * index and the tallies, which are not built on a cluster, stay empty on the coordinator.
 */
const TABLES = [
  ...["audit_logs", "audit_chain_heads", "audit_retention_policies", "audit_verifications", "audit_alarms"],
  ...["audit_tree_tiles", "audit_trees", "audit_notes", "agent_logs", "device_event_logs"],
];
const FIRST = "audit_logs";
/** So many nodes can share the work; a shard costs memory on every node, and their number is fixed for good. */
const SHARDS = 32;

/** Functions that run on the node of the organization that their first parameter names. */
const DELEGATED = [
  ...["audit_append_org", "audit_thin_notes", "audit_repair_head", "audit_continue_chain", "audit_self_test_org"],
];

/** The tables that are distributed already; null where the extension is not in this database. */
async function distributedTables(sql: postgres.ISql): Promise<Set<string> | null> {
  const [extension] = await sql`SELECT FROM pg_extension WHERE extname = 'citus'`;
  if (!extension) return null;
  const rows = await sql<{ name: string }[]>`SELECT logicalrelid::text AS name FROM pg_dist_partition`;
  return new Set(rows.map(({ name }) => name));
}

/**
 * Refuses what does not fit together: a distributed database without the setting, or the setting without a cluster.
 * @throws MigrationError with a sentence for the operator
 */
export async function checkCluster(sql: postgres.ISql, wanted: boolean): Promise<void> {
  const distributed = await distributedTables(sql);
  if (!wanted) {
    if (!distributed?.has(FIRST)) return;
    throw new MigrationError("This database is distributed over several nodes: set TRAILMARK_CITUS=on.");
  }
  if (!distributed)
    throw new MigrationError(
      "TRAILMARK_CITUS is on, but the extension is not in this database: CREATE EXTENSION citus on every node.",
    );
  const [nodes] = await sql<{ coordinator: boolean; workers: number; stale: string[] }[]>`
    SELECT (SELECT groupid = 0 FROM pg_dist_local_group) AS coordinator,
      (count(*) FILTER (WHERE shouldhaveshards AND isactive AND noderole = 'primary'))::int AS workers,
      coalesce(array_agg(nodename || ':' || nodeport) FILTER (WHERE NOT (hasmetadata AND metadatasynced)), '{}') AS stale
    FROM pg_dist_node`;
  if (!nodes?.coordinator)
    throw new MigrationError(
      "TRAILMARK_CITUS is on, but this node is a worker: name the coordinator in the addresses.",
    );
  if (nodes.workers === 0)
    throw new MigrationError("TRAILMARK_CITUS is on, but no active node takes shards: add workers (citus_add_node).");
  if (nodes.stale.length > 0)
    throw new MigrationError(`Nodes without the cluster's metadata: ${nodes.stale.join(", ")}.`);
}

async function countOf(tx: postgres.TransactionSql, table: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`SELECT count(*)::float8 AS n FROM ${tx(table)}`;
  return row?.n ?? 0;
}

/** Distributes a table with its rows and policies; row level security would hide them from its owner meanwhile. */
async function distributeTable(tx: postgres.TransactionSql, table: string): Promise<void> {
  const policies = await tx<{ name: string; command: string }[]>`
    SELECT polname AS name, CASE polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' ELSE 'ALL' END AS command
    FROM pg_policy
    WHERE polrelid = ${table}::regclass
      AND concat(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) LIKE '%SELECT%'`;
  for (const { name } of policies) await tx`DROP POLICY ${tx(name)} ON ${tx(table)}`;
  await tx`ALTER TABLE ${tx(table)} NO FORCE ROW LEVEL SECURITY`;
  const before = await countOf(tx, table);
  if (table === FIRST) await tx`SELECT create_distributed_table(${table}, 'org_id', shard_count := ${SHARDS})`;
  else await tx`SELECT create_distributed_table(${table}, 'org_id', colocate_with := ${FIRST})`;
  const after = await countOf(tx, table);
  if (after !== before) throw new Error(`${table} has ${after} of ${before} rows after it was distributed`);
  await tx`ALTER TABLE ${tx(table)} FORCE ROW LEVEL SECURITY`;
  for (const { name, command } of policies) {
    if (name === `${table}_tenant`) await tx`SELECT tenant_policy(${table}, p_command => ${command})`;
    else if (name === `${table}_system` && command === "INSERT")
      await tx`CREATE POLICY ${tx(name)} ON ${tx(table)} FOR INSERT TO trailmark_app
        WITH CHECK (current_setting('trailmark.scope', true) = 'system')`;
    else throw new Error(`the policy ${name} of ${table} has a sub-select, which Citus does not take`);
  }
}

async function delegate(tx: postgres.TransactionSql): Promise<void> {
  const functions = await tx<{ signature: string; argument: string }[]>`
    SELECT p.oid::regprocedure::text AS signature, p.proargnames[1] AS argument
    FROM pg_proc p
    LEFT JOIN pg_dist_object o ON o.classid = 'pg_proc'::regclass AND o.objid = p.oid
    WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY (${DELEGATED})
      AND o.distribution_argument_index IS NULL`;
  for (const { signature, argument } of functions)
    await tx`SELECT create_distributed_function(${signature}::regprocedure, ${argument}, colocate_with := ${FIRST},
      force_delegation := true)`;
}

const revokeFromOwner = (tx: postgres.TransactionSql) =>
  tx`REVOKE UPDATE, DELETE, TRUNCATE ON audit_logs, audit_chain_heads, audit_tree_tiles, audit_trees, audit_notes
    FROM CURRENT_USER`;

/** Whether a node that answers lacks a guard. Asked outside of a transaction: nodes answer over their own connections. */
export async function hasFaults(sql: postgres.Sql): Promise<boolean> {
  const found = await sql`SELECT FROM audit_cluster_health() WHERE faults <> '{}'`;
  return found.length > 0;
}

/**
 * Takes rights back that a node has given which was added since: Citus creates functions there that every role may
 * execute. Inside withSealer().
 */
export async function revokeRights(tx: postgres.TransactionSql): Promise<void> {
  for (const { name } of functionsOfVersion(true)) await tx`REVOKE ALL ON FUNCTION ${tx(name)} FROM PUBLIC`;
  await revokeFromOwner(tx);
}

/**
 * Spreads the tables of history over the cluster's nodes by organization, as far as that has not been done, with their
 * rows; rights that a new shard gives its owner are taken back. Inside withSealer(), after migrations and functions.
 */
export async function distribute(tx: postgres.TransactionSql): Promise<void> {
  const distributed = await distributedTables(tx);
  await tx`SET LOCAL citus.enable_unsafe_triggers = on`;
  await tx`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`;
  if (!distributed?.has(FIRST))
    for (const statement of readFileSync(PREPARE, "utf8").split("--> statement-breakpoint")) await tx.unsafe(statement);
  for (const table of TABLES) if (!distributed?.has(table)) await distributeTable(tx, table);
  if (!distributed?.has("audit_chain_heads"))
    await tx`SELECT tenant_policy('audit_chain_heads', p_command => 'SELECT')`;
  await revokeFromOwner(tx);
  await delegate(tx);
  await tx`SELECT audit_self_test_org(${randomUUID()})`;
}
