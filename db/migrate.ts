import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { ensureRoles, loginOf } from "./roles";

/** Addresses of the three roles; without the owner's nothing is changed, only checked. */
export type MigrateInput = {
  ownerUrl?: string | undefined;
  appUrl: string;
  adminUrl?: string | undefined;
  log?: (line: string) => void;
};

/** Thrown with a message for the operator; `expected` tells the door to print no stack. */
export class MigrationError extends Error {
  readonly expected = true;
}

// This file lies one folder below the root both as a source (db/) and inside a bundle (dist/).
const FOLDER = join(dirname(dirname(fileURLToPath(import.meta.url))), "db", "migrations");
const LOCK_KEY = 0x74726169; // "trai"
const REACH_MS = 15_000;
const NOT_YET = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "CONNECT_TIMEOUT", "57P03"]);

type Journal = { entries: { tag: string; when: number }[] };
const journal = (): Journal["entries"] =>
  (JSON.parse(readFileSync(join(FOLDER, "meta", "_journal.json"), "utf8")) as Journal).entries;

/** How many migrations this version brings. */
export const countMigrations = (): number => journal().length;

const reasonOf = (error: unknown): { message: string; code: string } => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { code?: unknown }).code;
  return {
    message: cause instanceof Error ? cause.message : String(cause),
    code: typeof code === "string" ? code : "",
  };
};

/** One connection; a database server that starts at the same time as we do gets a moment. */
async function connect(url: string, role: string): Promise<postgres.Sql> {
  const deadline = Date.now() + REACH_MS;
  for (;;) {
    const sql = postgres(url, { max: 1, max_lifetime: null, connect_timeout: 5, onnotice: () => {} });
    try {
      await sql`SELECT 1`;
      return sql;
    } catch (error) {
      await sql.end({ timeout: 1 });
      const { message, code } = reasonOf(error);
      if (!NOT_YET.has(code) || Date.now() > deadline) {
        const { host } = new URL(url);
        throw new MigrationError(`The database at ${host} does not let ${role} "${loginOf(url).name}" in: ${message}`);
      }
      await sleep(500);
    }
  }
}

/** The tags of the migrations that the database lacks, oldest first. */
async function missing(sql: postgres.Sql): Promise<string[]> {
  let last = 0;
  try {
    const [row] = await sql<
      { last: string | null }[]
    >`SELECT max(created_at) AS last FROM drizzle.__drizzle_migrations`;
    last = Number(row?.last ?? 0);
  } catch (error) {
    if (!["42P01", "3F000", "42501"].includes(reasonOf(error).code)) throw error; // none yet
  }
  return journal()
    .filter((entry) => entry.when > last)
    .map((entry) => entry.tag);
}

async function checkOnly(appUrl: string): Promise<void> {
  const sql = await connect(appUrl, "the application role");
  try {
    const lacking = await missing(sql);
    if (lacking.length === 0) return;
    throw new MigrationError(
      `The database lacks ${lacking.length} of ${countMigrations()} migrations (the first is ${lacking[0]}).\n` +
        "Set TRAILMARK_OWNER_DATABASE_URL for one start, or run `npm run trailmark -- migrate` with it.",
    );
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function apply(sql: postgres.Sql, { appUrl, adminUrl, log = () => {} }: MigrateInput): Promise<void> {
  const lacking = await missing(sql);
  await ensureRoles(sql, { appUrl, adminUrl });
  if (lacking.length > 0) log(`applying ${lacking.length} of ${countMigrations()} migrations`);
  await applyMigrations(drizzle(sql), { migrationsFolder: FOLDER });
  if (lacking.length > 0) {
    // Whoever starts without the owner's address must be able to see what is applied.
    await sql`GRANT USAGE ON SCHEMA drizzle TO trailmark_app, trailmark_audit_admin`;
    await sql`GRANT SELECT ON drizzle.__drizzle_migrations TO trailmark_app, trailmark_audit_admin`;
  }
}

/**
 * Brings the database to this version: roles, then migrations, under a lock that makes a second process wait.
 * Without ownerUrl it only checks that every migration is applied.
 * @throws MigrationError with a sentence for the operator.
 */
export async function migrate(input: MigrateInput): Promise<void> {
  if (!input.ownerUrl) return checkOnly(input.appUrl);
  const sql = await connect(input.ownerUrl, "the owner");
  try {
    await sql`SET statement_timeout = 0`;
    const [lock] = await sql<{ got: boolean }[]>`SELECT pg_try_advisory_lock(${LOCK_KEY}) AS got`;
    if (!lock?.got) {
      input.log?.("another process migrates the database; waiting for it");
      await sql`SELECT pg_advisory_lock(${LOCK_KEY})`;
    }
    await apply(sql, input);
  } catch (error) {
    const { message, code } = reasonOf(error);
    const hint = code === "42501" ? "\nThe owner needs CREATEROLE and must own the database." : "";
    throw new MigrationError(`The database cannot be brought to this version: ${message}${hint}`, { cause: error });
  } finally {
    await sql.end({ timeout: 5 }); // ends the session and with it the lock
  }
}
