import postgres from "postgres";
import { withSealer } from "@/db/install-functions";
import { ensureRoles } from "@/db/roles";
import { BackupError } from "./backup-error";
import { describeServer, ROLE } from "./dump";
import { requireTool, runTool } from "./pg-tools";

/** A database of one's own, by the addresses of its roles. */
export type Target = { ownerUrl: string; appUrl: string; adminUrl?: string | undefined };

const connect = (url: string) => postgres(url, { max: 1, max_lifetime: null, connect_timeout: 15, onnotice: () => {} });

async function withOwner<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = connect(url);
  try {
    await sql`SET statement_timeout = 0`;
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** How many tables a database has where a backup would go, and in how many organizations. */
export function countTables({ ownerUrl }: Target): Promise<number> {
  return withOwner(ownerUrl, async (sql) => {
    const [row] = await sql<{ n: number }[]>`
      SELECT count(*)::int AS n FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND s.nspname IN ('public', 'drizzle', 'graphile_worker')`;
    return row?.n ?? 0;
  });
}

/** Empties a database for a restore. The owner alone can, and only a restore that was forced asks for it. */
export const dropAll = ({ ownerUrl }: Target): Promise<unknown> =>
  withOwner(ownerUrl, (sql) =>
    sql.begin(async (tx) => {
      await tx`SET LOCAL client_min_messages = error`;
      await tx.unsafe("DROP SCHEMA IF EXISTS public, drizzle, graphile_worker CASCADE");
      await tx.unsafe("CREATE SCHEMA public");
    }),
  );

/**
 * Loads a dump into an empty database: the roles first, then schema, rows, rights, policies and triggers as they were.
 * @throws BackupError when pg_restore is missing, too old or fails; nothing is left of a load that failed
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
    // Functions go to the sealer, whom the owner must be able to become for as long as that takes.
    else await withSealer(sql, load);
  });
}

const databaseOf = (url: string): string => {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  if (!name) throw new BackupError("TRAILMARK_OWNER_DATABASE_URL names no database.");
  return name;
};
