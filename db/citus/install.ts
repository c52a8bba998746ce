import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { readFunctions, type SqlFunction, sqlFunction, withSealer } from "@/db/install-functions";
import { FOLDER, MigrationError } from "@/db/version";

/**
 * Functions with one textual difference on a cluster: the sealer cannot log in on other nodes, and Citus rejects
 * subqueries in policies of distributed tables.
 */
const CHANGES: Record<string, [plain: string, there: string]> = {
  audit_default_policy: [" SECURITY DEFINER", ""],
  audit_chain_health: ["f.prosecdef", "(f.prosecdef OR w.name IN ('audit_default_policy', 'audit_chain_heads_of'))"],
  tenant_policy: ["'(SELECT %s)'", "'(%s)'"],
};

function changed({ name, text, version }: SqlFunction): SqlFunction {
  const [plain, there] = CHANGES[name] ?? ["", ""];
  if (text.split(plain).length !== 2) throw new Error(`${name} does not have ${plain} once`);
  return sqlFunction(name, text.replace(plain, there), version);
}

/** Functions of a cluster: most unchanged, some with one difference, and those of db/citus/functions. */
function clusterFunctions(plain: readonly SqlFunction[], folder: string): SqlFunction[] {
  const own = readFunctions(join(folder, "citus", "functions"), plain[0]?.version ?? "");
  const others = plain.filter(({ name }) => !own.some((one) => one.name === name));
  return [...others.map((one) => (CHANGES[one.name] ? changed(one) : one)), ...own];
}

const PREPARE = join(FOLDER, "citus", "prepare.sql");
/** A scalar subquery as written by pg_get_expr(). */
const SUB_SELECT = String.raw`\( SELECT (.+?) AS "?\w+"?\)`;

/**
 * Tables with unlimited rows of one organization each; the first gives the others its shards. Search index and tallies
 * are not built on a cluster and stay empty on the coordinator.
 */
const TABLES = [
  ...["audit_logs", "audit_chain_heads", "audit_retention_policies", "audit_verifications", "audit_alarms"],
  ...["audit_tree_tiles", "audit_trees", "audit_notes", "agent_logs", "device_event_logs"],
];
const FIRST = "audit_logs";
/** Maximum nodes that share the work. A shard costs memory on every node, and the number cannot change. */
const SHARDS = 32;

/** Functions that run on the node of the organization in their first parameter. */
const DELEGATED = [
  ...[
    "audit_append_org",
    "audit_set_retention",
    "audit_thin_notes",
    "audit_repair_head",
    "audit_continue_chain",
    "audit_self_test_org",
  ],
];

/** Tables already distributed; null without the extension. */
async function distributedTables(sql: postgres.ISql): Promise<Set<string> | null> {
  const [extension] = await sql`SELECT FROM pg_extension WHERE extname = 'citus'`;
  if (!extension) return null;
  const rows = await sql<{ name: string }[]>`SELECT logicalrelid::text AS name FROM pg_dist_partition`;
  return new Set(rows.map(({ name }) => name));
}

/** Refuses a distributed database. */
async function checkOneServer(sql: postgres.ISql): Promise<void> {
  if ((await distributedTables(sql))?.has(FIRST))
    throw new MigrationError("This database is distributed over several nodes: set TRAILMARK_CITUS=on.");
}

/** Refuses a database that is not a cluster, or cannot take shards. */
async function checkCluster(sql: postgres.ISql): Promise<void> {
  if (!(await distributedTables(sql)))
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

/** Converts history tables to the form required by Citus. Inside withSealer(). */
export async function prepare(tx: postgres.TransactionSql): Promise<void> {
  for (const statement of readFileSync(PREPARE, "utf8").split("--> statement-breakpoint")) await tx.unsafe(statement);
  await withoutSubSelects(tx);
}

async function countOf(tx: postgres.TransactionSql, table: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`SELECT count(*)::float8 AS n FROM ${tx(table)}`;
  return row?.n ?? 0;
}

/** Rewrites policies without subqueries, which Citus rejects on distributed tables. */
async function withoutSubSelects(tx: postgres.TransactionSql): Promise<void> {
  const policies = await tx<{ statement: string }[]>`
    SELECT format('ALTER POLICY %I ON %I', polname, relname) || coalesce(' USING (' || used || ')', '')
      || coalesce(' WITH CHECK (' || checked || ')', '') AS statement
    FROM pg_policy
    JOIN pg_class c ON c.oid = polrelid
    CROSS JOIN LATERAL regexp_replace(pg_get_expr(polqual, polrelid), ${SUB_SELECT}, '(\\1)', 'g') used
    CROSS JOIN LATERAL regexp_replace(pg_get_expr(polwithcheck, polrelid), ${SUB_SELECT}, '(\\1)', 'g') checked
    WHERE relname = ANY (${TABLES})
      AND concat(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) LIKE '%SELECT%'`;
  for (const { statement } of policies) await tx.unsafe(statement);
}

/** Distributes a table with its rows; row-level security would hide the rows from its owner during the copy. */
async function distributeTable(tx: postgres.TransactionSql, table: string): Promise<void> {
  await tx`ALTER TABLE ${tx(table)} NO FORCE ROW LEVEL SECURITY`;
  const before = await countOf(tx, table);
  if (table === FIRST) await tx`SELECT create_distributed_table(${table}, 'org_id', shard_count := ${SHARDS})`;
  else await tx`SELECT create_distributed_table(${table}, 'org_id', colocate_with := ${FIRST})`;
  const after = await countOf(tx, table);
  if (after !== before) throw new Error(`${table} has ${after} of ${before} rows after it was distributed`);
  await tx`ALTER TABLE ${tx(table)} FORCE ROW LEVEL SECURITY`;
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

/**
 * Distributes history tables with their rows over the cluster by organization, where not done yet; revokes rights that
 * a new shard gives its owner. Inside withSealer(), after migrations and functions.
 */
async function distribute(tx: postgres.TransactionSql): Promise<void> {
  const distributed = await distributedTables(tx);
  await tx`SET LOCAL citus.enable_unsafe_triggers = on`;
  await tx`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`;
  if (!distributed?.has(FIRST)) await prepare(tx);
  for (const table of TABLES) if (!distributed?.has(table)) await distributeTable(tx, table);
  await revokeFromOwner(tx);
  await delegate(tx);
  await tx`SELECT audit_self_test_org(${randomUUID()})`;
}

/**
 * Checks the guards of every node, outside a transaction: nodes answer over their own connections, which would wait for
 * its locks indefinitely. Revokes rights on nodes added since, because Citus creates functions there that every role
 * may execute.
 */
async function checkNodes(sql: postgres.Sql, functions: readonly SqlFunction[]): Promise<void> {
  const faults = async () => {
    const nodes = await sql<{ faults: string[] }[]>`SELECT faults FROM audit_cluster_health()`;
    return nodes.flatMap((node) => node.faults);
  };
  if ((await faults()).length > 0)
    await sql.begin((tx) =>
      withSealer(tx, async () => {
        for (const { name } of functions) await tx`REVOKE ALL ON FUNCTION ${tx(name)} FROM PUBLIC`;
        await revokeFromOwner(tx);
      }),
    );
  const left = await faults();
  if (left.length > 0) throw new MigrationError(`The audit chain is not safe: ${left.join("; ")}`);
}

/** Differences between cluster and single server for the migrator. */
export type Installation = {
  /** @throws MigrationError with a sentence for another layout */
  check: (sql: postgres.ISql) => Promise<void>;
  functions: (plain: SqlFunction[]) => SqlFunction[];
  /** Additional settings of logins. */
  roleSettings: Record<string, string>;
  /** After migrations and functions, in the same transaction, inside withSealer(). */
  finish: (tx: postgres.TransactionSql) => Promise<unknown>;
  /** After that transaction. */
  verify: (sql: postgres.Sql, functions: readonly SqlFunction[]) => Promise<void>;
};

const oneServer: Installation = {
  check: checkOneServer,
  functions: (plain) => plain,
  roleSettings: {},
  finish: (tx) => tx`SELECT audit_self_test()`,
  verify: async () => {},
};

const cluster: Installation = {
  check: checkCluster,
  functions: (plain) => clusterFunctions(plain, FOLDER),
  // SET LOCAL settings, above all the tenant, are sent to other nodes with the statements.
  roleSettings: { "citus.propagate_set_commands": "local" },
  finish: distribute,
  verify: checkNodes,
};

export const installation = (citus: boolean): Installation => (citus ? cluster : oneServer);
