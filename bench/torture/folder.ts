import { chmodSync } from "node:fs";
import postgres from "postgres";
import { clusterOf, endServer, freePort, type Server, startServer } from "@/testing/server";
import { tempFolder } from "@/testing/temp-folder";

/** A server that starts again after a kill as it was started first: the object stays the same. */
export type Site = Server & { start: () => Promise<void> };

type Start = Parameters<typeof startServer>[0];

async function withSite<T>(settings: Start, fn: (site: Site) => Promise<T>): Promise<T> {
  const site: Site = {
    ...(await startServer(settings)),
    start: async () => {
      site.child = (await startServer(settings)).child;
    },
  };
  return fn(site).finally(() => endServer(site));
}

function newDataDir(): string {
  const dataDir = tempFolder();
  // The embedded PostgreSQL of root is another user, who has to pass.
  chmodSync(dataDir, 0o755);
  return dataDir;
}

/** The built server with a data folder of its own, for as long as fn takes. */
export const withOwnServer = async <T>(
  fn: (site: Site) => Promise<T>,
  settings: Partial<Omit<Start, "port">> = {},
): Promise<T> => withSite({ dataDir: newDataDir(), port: await freePort(), ...settings }, fn);

let shared: Promise<{ dataDir: string; port: number }> | undefined;

/** The same on one data folder for all lines that can share it: creating a cluster takes longest. */
export async function withServer<T>(fn: (site: Site) => Promise<T>, env: Record<string, string> = {}): Promise<T> {
  // Always at one address: it is the name that its logs are signed under.
  shared ??= freePort().then((port) => ({ dataDir: newDataDir(), port }));
  return withSite({ ...(await shared), env }, fn);
}

export function ownerUrl({ dataDir }: Pick<Server, "dataDir">): string {
  const { owner, port } = clusterOf(dataDir);
  return `postgres://trailmark_owner:${owner}@127.0.0.1:${port}/trailmark`;
}

/** A connection to a database, ended after the work. */
export async function withSql<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return work(sql).finally(() => sql.end({ timeout: 5 }));
}

/** The owner of the server's database, who sees every row. */
export const withOwner = <T>(server: Pick<Server, "dataDir">, work: (sql: postgres.Sql) => Promise<T>): Promise<T> =>
  withSql(ownerUrl(server), async (sql) => {
    await sql`SELECT set_config('trailmark.scope', 'system', false)`;
    return work(sql);
  });

/** Turns synchronous_commit off for the application role's new connections. */
export const makeCommitsLazy = (server: Server) =>
  withOwner(server, (sql) => sql`ALTER ROLE trailmark_app SET synchronous_commit = off`);

/** Runs work as the owner without triggers. */
export const tamper = (server: Server, work: (tx: postgres.TransactionSql) => Promise<unknown>): Promise<unknown> =>
  withOwner(server, (sql) =>
    sql.begin(async (tx) => {
      await tx`SET LOCAL session_replication_role = replica`;
      await work(tx);
    }),
  );
