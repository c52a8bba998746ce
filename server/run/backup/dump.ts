import postgres from "postgres";
import { BackupError } from "./backup-error";
import type { ChainHead } from "./manifest";
import { requireTool, runTool } from "./pg-tools";

/** The role that a dump reads as: it sees every row in spite of row level security, and can do nothing else. */
export const ROLE = "trailmark_backup";

/** As the operating guide has it; run again each time, for new tables have new policies. */
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

/** What the database was at the moment of the dump. */
export type Dumped = { version: string; migrations: number; newestMigration: number; heads: ChainHead[] };

const connect = (url: string) => postgres(url, { max: 1, max_lifetime: null, connect_timeout: 15, onnotice: () => {} });

/** Numbers of the server's version and rights, as the tools must know them. */
export async function describeServer(ownerUrl: string): Promise<{ number: number; version: string; isSuper: boolean }> {
  const sql = connect(ownerUrl);
  try {
    const [row] = await sql<{ number: number; version: string; isSuper: boolean }[]>`
      SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
        (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS "isSuper"`;
    if (!row) throw new BackupError("The database did not say its version.");
    return row;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Creates or completes the role that dumps read as. */
async function prepareRole(ownerUrl: string): Promise<void> {
  const sql = connect(ownerUrl);
  try {
    await sql.unsafe(PREPARE_ROLE);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Heads and migrations as a transaction sees them. */
export async function readDatabase(sql: postgres.ISql): Promise<Omit<Dumped, "version">> {
  const heads = await sql<{ orgId: string; seq: number; checksum: string }[]>`
    SELECT org_id AS "orgId", max(seq)::float8 AS seq, (array_agg(checksum ORDER BY seq DESC))[1] AS checksum
    FROM audit_chain_heads GROUP BY org_id ORDER BY org_id`;
  const [row] = await sql<{ count: number; newest: number }[]>`
    SELECT count(*)::int AS count, max(created_at)::float8 AS newest FROM drizzle.__drizzle_migrations`;
  return { heads: [...heads], migrations: row?.count ?? 0, newestMigration: row?.newest ?? 0 };
}

/**
 * Dumps a database of one's own with pg_dump, in one snapshot, with the heads of the chains in it.
 * @throws BackupError when pg_dump is missing, too old or fails
 */
export async function dumpDatabase(ownerUrl: string, file: string): Promise<Dumped> {
  const { number, version, isSuper } = await describeServer(ownerUrl);
  requireTool("pg_dump", number);
  if (!isSuper) await prepareRole(ownerUrl);
  const sql = connect(ownerUrl);
  try {
    return await sql.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", async (tx) => {
      await tx`SET LOCAL statement_timeout = 0`;
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
  } finally {
    await sql.end({ timeout: 5 });
  }
}
