import type postgres from "postgres";
import { type Installation, installation } from "./citus/install";
import { installFunctions, type SqlFunction, staleFunctions, withSealer } from "./install-functions";
import { installJobs, migrateJobs } from "./jobs";
import { reach } from "./reach";
import { EXPECTED, ensureRoles } from "./roles";
import { causeOf, codeOf, messageOf } from "./thrown";
import { countMigrations, functionsOfVersion, MigrationError, type Missing, missingFrom, OF_LATER } from "./version";

/** Addresses of the three roles; without the owner's only checks. */
export type MigrateInput = {
  ownerUrl?: string | undefined;
  appUrl: string;
  adminUrl?: string | undefined;
  /** Whether Citus distributes the database (TRAILMARK_CITUS). */
  citus?: boolean;
  log?: (line: string) => void;
  /** Called with warnings for the operator after success. */
  warn?: (line: string) => void;
};

const LOCK_KEY = 0x74726169; // "trai"
const OWNER_NEEDS =
  "\nThe owner needs CREATEROLE and must own the database and its schema public (ALTER SCHEMA public OWNER TO …).";
const DIRECT = "It must not: name PostgreSQL itself there, because a migration holds a lock of its session.";

/** Line in a migration before statements that need this version's functions: they are installed there. */
const FUNCTIONS = "--> functions\n";

async function checkOnly({ appUrl, citus = false, warn = () => {} }: MigrateInput): Promise<void> {
  const sql = await reach({ url: appUrl, role: "the application role (DATABASE_URL)" });
  try {
    const installed = installation(citus);
    await installed.check(sql);
    const { tags, functions, ofLater } = await missingFrom(sql, installed.functions(functionsOfVersion()));
    if (ofLater) warn(OF_LATER);
    if (tags.length + functions.length === 0) return await migrateJobs(appUrl);
    const what =
      tags.length > 0
        ? `${tags.length} of ${countMigrations()} migrations (the first is ${tags[0]})`
        : `this version's text of ${functions.length} functions (the first is ${functions[0]?.name})`;
    throw new MigrationError(
      `The database lacks ${what}.\n` +
        "Set TRAILMARK_OWNER_DATABASE_URL for one start, or run `npm run trailmark -- migrate` with it.",
    );
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Makes the owner's session independent of the database's settings; extensions may have their own schema. */
async function prepareSession(sql: postgres.Sql): Promise<void> {
  const settings = Object.entries({ statement_timeout: "0", lock_timeout: "0", ...EXPECTED });
  await sql`SELECT set_config(name, value, false)
    FROM unnest(${settings.map(([name]) => name)}::text[], ${settings.map(([, value]) => value)}::text[]) AS s(name, value)`;
  await sql`SELECT set_config('search_path', concat_ws(', ', 'public', string_agg(DISTINCT quote_ident(n.nspname), ', ')), false)
    FROM pg_extension e
    JOIN pg_namespace n ON n.oid = e.extnamespace AND n.nspname <> 'public'
    WHERE e.extname IN ('pg_trgm', 'btree_gin')`;
}

/** Tables of applied migrations and installed functions, readable by processes without the owner's address. */
async function prepareRecords(tx: postgres.TransactionSql): Promise<void> {
  await tx.unsafe(`
    CREATE SCHEMA IF NOT EXISTS drizzle;
    CREATE TABLE IF NOT EXISTS drizzle.__drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint);
    CREATE TABLE IF NOT EXISTS drizzle.installed_functions (
      name text PRIMARY KEY, checksum text NOT NULL, version text NOT NULL);
    GRANT USAGE ON SCHEMA drizzle TO trailmark_app, trailmark_audit_admin;
    GRANT SELECT ON drizzle.__drizzle_migrations, drizzle.installed_functions TO trailmark_app, trailmark_audit_admin`);
}

/** Applies migrations, then functions, in one transaction, so that no session sees one without the other. */
async function applyMissing(
  tx: postgres.TransactionSql,
  { migrations }: Missing,
  functions: readonly SqlFunction[],
): Promise<void> {
  await prepareRecords(tx);
  const install = async () => installFunctions(tx, await staleFunctions(tx, functions));
  // A function needed by a migration may refer to a later one.
  await tx`SET LOCAL check_function_bodies = off`;
  for (const { sql: statements, hash, folderMillis } of migrations) {
    const [first = "", ...others] = statements.join("").split(FUNCTIONS);
    await tx.unsafe(first);
    for (const part of others) {
      await install();
      await tx.unsafe(part);
    }
    await tx`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES (${hash}, ${folderMillis})`;
  }
  await tx`SET LOCAL check_function_bodies = on`;
  await install();
}

async function apply(sql: postgres.Sql, input: MigrateInput & { ownerUrl: string }): Promise<void> {
  const { log = () => {}, warn = () => {}, citus = false } = input;
  const { check, functions: chosen, roleSettings, finish, verify }: Installation = installation(citus);
  await check(sql);
  const wanted = chosen(functionsOfVersion());
  const missing = await missingFrom(sql, wanted);
  const { migrations, functions, ofLater } = missing;
  if (ofLater) warn(OF_LATER);
  await ensureRoles(sql, input, roleSettings);
  if (migrations.length > 0) log(`applying ${migrations.length} of ${countMigrations()} migrations`);
  if (functions.length > 0) log(`installing ${functions.length} functions`);
  if (migrations.length + functions.length > 0)
    await sql.begin((tx) =>
      withSealer(tx, async () => {
        await applyMissing(tx, missing, wanted);
        await finish(tx);
      }),
    );
  await installJobs(sql, input.ownerUrl);
  await verify(sql, wanted);
}

/**
 * Migrates the database to this version: roles, migrations, functions, under a lock that makes a second process wait.
 * Without ownerUrl only checks that nothing is missing.
 * @throws MigrationError with a sentence for the operator.
 */
export async function migrate(input: MigrateInput): Promise<void> {
  const { ownerUrl } = input;
  if (!ownerUrl) return checkOnly(input);
  const sql = await reach({ url: ownerUrl, role: "the owner (TRAILMARK_OWNER_DATABASE_URL)", unlessPooled: DIRECT });
  try {
    await prepareSession(sql);
    const [lock] = await sql<{ got: boolean }[]>`SELECT pg_try_advisory_lock(${LOCK_KEY}) AS got`;
    if (!lock?.got) {
      input.log?.("another process migrates the database; waiting for it");
      await sql`SELECT pg_advisory_lock(${LOCK_KEY})`;
    }
    await apply(sql, { ...input, ownerUrl });
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    const cause = causeOf(error);
    const hint = codeOf(cause) === "42501" ? OWNER_NEEDS : "";
    throw new MigrationError(`The database cannot be brought to this version: ${messageOf(cause)}${hint}`, {
      cause: error,
    });
  } finally {
    await sql.end({ timeout: 5 }); // Ends the session and its lock.
  }
}
