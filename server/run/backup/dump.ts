import { spawnSync } from "node:child_process";
import postgres from "postgres";
import { runProgram } from "@/db/embedded/runner";
import { withSealer } from "@/db/install-functions";
import { ensureRoles } from "@/db/roles";
import { oneOf } from "@/db/rows";
import { BackupError } from "./archive";
import type { ChainHead } from "./manifest";

type Tool = "pg_dump" | "pg_restore";

/** libpq variables of an address, to keep passwords out of process lists. */
function connectionEnv(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const ssl = searchParams.get("sslmode") ?? searchParams.get("ssl");
  return {
    PGHOST: searchParams.get("host") ?? decodeURIComponent(hostname.replace(/^\[|\]$/g, "")),
    PGPORT: port || "5432",
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGCONNECT_TIMEOUT: "15",
    ...(ssl && { PGSSLMODE: ssl === "true" ? "require" : ssl }),
  };
}

/**
 * Checks that a PostgreSQL client program exists and supports the server.
 * @param serverVersion server_version_num, such as 150004
 * @throws BackupError when it is missing, or older than the server
 */
function requireTool(tool: Tool, serverVersion: number): void {
  const version = spawnSync(tool, ["--version"], { encoding: "utf8" });
  const major = Number(/(\d+)(?:\.\d+)*/.exec(version.stdout ?? "")?.[1] ?? Number.NaN);
  if (version.error || Number.isNaN(major))
    throw new BackupError(
      `${tool} is not on the PATH: install PostgreSQL's client programs (postgresql-client) of version ${Math.floor(serverVersion / 10_000)} or newer.`,
    );
  if (major < Math.floor(serverVersion / 10_000))
    throw new BackupError(
      `${tool} is of version ${major}, the server of version ${Math.floor(serverVersion / 10_000)}: install client programs as new as the server.`,
    );
}

/** @throws BackupError with the program's errors */
async function runTool(tool: Tool, args: string[], url: string): Promise<void> {
  const { code, errors } = await runProgram(tool, args, { env: connectionEnv(url) });
  const full = /No space left on device/.test(errors) ? "the disk is full: " : "";
  if (code !== 0) throw new BackupError(`${tool} failed: ${full}${errors}`);
}

/** An external database, by the addresses of its roles. */
export type Target = { ownerUrl: string; appUrl: string; adminUrl?: string | undefined };

/** Works with a connection of the owner's, without a time limit. */
export async function withOwner<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, max_lifetime: null, connect_timeout: 15, onnotice: () => {} });
  try {
    await sql`SET statement_timeout = 0`;
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Tables and organizations in a backup's target database. */
export function countTables({ ownerUrl }: Target): Promise<number> {
  return withOwner(ownerUrl, async (sql) => {
    const [row] = await sql<{ n: number }[]>`
      SELECT count(*)::int AS n FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND s.nspname IN ('public', 'drizzle', 'graphile_worker')`;
    return row?.n ?? 0;
  });
}

/** Empties a database for a forced restore; only the owner can. */
export const dropAll = ({ ownerUrl }: Target): Promise<unknown> =>
  withOwner(ownerUrl, (sql) =>
    sql.begin(async (tx) => {
      await tx`SET LOCAL client_min_messages = error`;
      await tx.unsafe("DROP SCHEMA IF EXISTS public, drizzle, graphile_worker CASCADE");
      await tx.unsafe("CREATE SCHEMA public");
    }),
  );

/**
 * Loads a dump into an empty database: roles, then schema, rows, rights, policies and triggers.
 * @throws BackupError when pg_restore is missing, too old or fails; a failed load leaves nothing
 */
export async function loadDump(target: Target, file: string): Promise<void> {
  const { number, isSuper } = await describeServer(target.ownerUrl);
  requireTool("pg_restore", number);
  await withOwner(target.ownerUrl, async (sql) => {
    await ensureRoles(sql, target);
    if ((await sql`SELECT FROM pg_roles WHERE rolname = ${ROLE}`).length === 0)
      await sql.unsafe(`CREATE ROLE ${ROLE} NOLOGIN`);
    const load = () =>
      runTool(
        "pg_restore",
        ["--exit-on-error", "--single-transaction", "--no-password", `--dbname=${databaseOf(target.ownerUrl)}`, file],
        target.ownerUrl,
      );
    if (isSuper) await load();
    // The sealer owns functions, so the owner must be able to become it during the load.
    else await withSealer(sql, load);
  });
}

const databaseOf = (url: string): string => {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  if (!name) throw new BackupError("TRAILMARK_OWNER_DATABASE_URL names no database.");
  return name;
};

/** Role for dumps: sees every row despite row-level security, and has no other rights. */
const ROLE = "trailmark_backup";

/** As in the operating guide; repeated each time, because new tables have new policies. */
const PREPARE_ROLE = `
  DO $$
  DECLARE s text; t text;
  BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${ROLE}') THEN
      CREATE ROLE ${ROLE} NOLOGIN;
    END IF;
    IF NOT pg_has_role('${ROLE}', 'MEMBER') THEN
      GRANT ${ROLE} TO CURRENT_USER;
    END IF;
    FOREACH s IN ARRAY ARRAY['public', 'drizzle', 'graphile_worker'] LOOP
      CONTINUE WHEN to_regnamespace(s) IS NULL;
      EXECUTE format('GRANT USAGE ON SCHEMA %I TO ${ROLE}', s);
      EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO ${ROLE}', s);
      EXECUTE format('GRANT SELECT ON ALL SEQUENCES IN SCHEMA %I TO ${ROLE}', s);
    END LOOP;
    FOR s, t IN SELECT nspname, relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE nspname IN ('public', 'graphile_worker') AND relrowsecurity LOOP
      CONTINUE WHEN EXISTS (
        SELECT FROM pg_policy p WHERE p.polrelid = to_regclass(format('%I.%I', s, t)) AND p.polname = t || '_backup');
      EXECUTE format('CREATE POLICY %I ON %I.%I FOR SELECT TO ${ROLE} USING (true)', t || '_backup', s, t);
    END LOOP;
  END
  $$`;

/** State of the database at the time of the dump. */
export type Dumped = { version: string; migrations: number; newestMigration: number; heads: ChainHead[] };

/** Server version and rights for the tools. */
const describeServer = (ownerUrl: string): Promise<{ number: number; version: string; isSuper: boolean }> =>
  withOwner(ownerUrl, async (sql) =>
    oneOf(
      await sql<{ number: number; version: string; isSuper: boolean }[]>`
        SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
          (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS "isSuper"`,
    ),
  );

/** Heads and migrations within a transaction. */
export async function readDatabase(sql: postgres.ISql): Promise<Omit<Dumped, "version">> {
  const heads = await sql<{ orgId: string; seq: number; checksum: string }[]>`
    SELECT org_id AS "orgId", max(seq)::float8 AS seq, (array_agg(checksum ORDER BY seq DESC))[1] AS checksum
    FROM audit_chain_heads GROUP BY org_id ORDER BY org_id`;
  const [row] = await sql<{ count: number; newest: number }[]>`
    SELECT count(*)::int AS count, max(created_at)::float8 AS newest FROM drizzle.__drizzle_migrations`;
  return { heads: [...heads], migrations: row?.count ?? 0, newestMigration: row?.newest ?? 0 };
}

/**
 * Dumps an external database with pg_dump, in one snapshot including the heads of the chains.
 * @throws BackupError when pg_dump is missing, too old or fails
 */
export async function dumpDatabase(ownerUrl: string, file: string): Promise<Dumped> {
  const { number, version, isSuper } = await describeServer(ownerUrl);
  requireTool("pg_dump", number);
  return withOwner(ownerUrl, async (sql) => {
    if (!isSuper) await sql.unsafe(PREPARE_ROLE);
    return sql.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", async (tx) => {
      await tx`SET LOCAL idle_in_transaction_session_timeout = 0`;
      const [row] = await tx<{ snapshot: string }[]>`SELECT pg_export_snapshot() AS snapshot`;
      if (!isSuper) await tx.unsafe(`SET LOCAL ROLE ${ROLE}`);
      const recorded = await readDatabase(tx);
      const reading = isSuper ? [] : ["--enable-row-security", `--role=${ROLE}`];
      await runTool(
        "pg_dump",
        ["--format=custom", `--file=${file}`, `--snapshot=${row?.snapshot}`, "--no-password", ...reading],
        ownerUrl,
      );
      return { version, ...recorded };
    });
  });
}
