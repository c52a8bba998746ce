import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import type postgres from "postgres";
import { z } from "zod";
import { readFunctions, type SqlFunction, staleFunctions } from "./install-functions";
import { codeOf, ExpectedError } from "./thrown";

// One folder below the root both as a source (db/) and in a bundle (dist/).
export const FOLDER = join(dirname(dirname(fileURLToPath(import.meta.url))), "db");
const MIGRATIONS = join(FOLDER, "migrations");

/** Thrown with a message for the operator; `expected` suppresses the stack. */
export class MigrationError extends ExpectedError {}

const journalFile = z.object({ entries: z.array(z.object({ idx: z.int(), tag: z.string(), when: z.int() })) });
type Entry = z.output<typeof journalFile>["entries"][number];
const packageFile = z.object({ version: z.string() });

let entries: Entry[] | undefined;

/** Read once: a process keeps checking its own migrations when a later version's files are in its folder. */
function journal(): Entry[] {
  entries ??= journalFile.parse(JSON.parse(readFileSync(join(MIGRATIONS, "meta", "_journal.json"), "utf8"))).entries;
  return entries;
}

export function functionsOfVersion(): SqlFunction[] {
  const { version } = packageFile.parse(JSON.parse(readFileSync(join(FOLDER, "..", "package.json"), "utf8")));
  return readFunctions(join(FOLDER, "functions"), version);
}

export const countMigrations = (): number => journal().length;

/** Dates of a database's migrations. */
type Applied = ReadonlySet<number>;

/** @throws PostgresError 42P01 or 3F000 before the first migration */
export async function readApplied(sql: postgres.ISql): Promise<Applied> {
  const rows = await sql<{ at: string }[]>`SELECT created_at AS at FROM drizzle.__drizzle_migrations`;
  return new Set(rows.map(({ at }) => Number(at)));
}

const pendingOf = (applied: Applied): Entry[] => journal().filter(({ when }) => !applied.has(when));

/** Number of this version's migrations in a database. */
export const countApplied = (applied: Applied): number => journal().length - pendingOf(applied).length;

export const OF_LATER =
  "The database is of a later version than this program, which may run beside it only while processes are replaced. There is no way back but the backup made before the upgrade.";

/** Date of this version's newest migration, in ms since 1970 UTC. */
export const newestMigration = (): number => Math.max(...journal().map(({ when }) => when));

/** True if a later version has migrated the database; this one may run beside it during an upgrade. */
export const isOfLater = (applied: Applied): boolean => Math.max(...applied) > newestMigration();

/** Migrations (oldest first, with tags) and functions missing in a database. */
export type Missing = { migrations: MigrationMeta[]; tags: string[]; functions: SqlFunction[]; ofLater: boolean };

/** Result of a query, or `otherwise` if its table does not exist yet or is hidden from this role. */
async function unlessAbsent<T>(query: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await query;
  } catch (error) {
    if (["42P01", "3F000", "42501"].includes(codeOf(error))) return otherwise;
    throw error;
  }
}

/**
 * Compares a database with this version. Migrations are identified by date, like Drizzle does.
 * @throws MigrationError when the database is of a build before the first release
 */
export async function missingFrom(sql: postgres.Sql, functions: SqlFunction[]): Promise<Missing> {
  const applied = await unlessAbsent(readApplied(sql), new Set<number>());
  const pending = pendingOf(applied);
  if (Math.min(...applied) < Math.min(...journal().map(({ when }) => when)))
    throw new MigrationError(
      "The database was made by a build before version 1.0.0, which no later version takes over: give this one a new database.",
    );
  const dates = new Set(pending.map(({ when }) => when));
  return {
    migrations: readMigrationFiles({ migrationsFolder: MIGRATIONS }).filter((m) => dates.has(m.folderMillis)),
    tags: pending.map(({ tag }) => tag),
    ofLater: isOfLater(applied),
    functions: await unlessAbsent(staleFunctions(sql, functions), functions),
  };
}
