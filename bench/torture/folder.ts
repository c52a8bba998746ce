import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { clusterOf, endServer, freePort, type Server, startServer } from "@/testing/server";

/** A server that starts again after a kill as it was started first: the object stays the same. */
export type Site = Server & { start: () => Promise<void> };
type Settings = { env?: Record<string, string>; logFile?: string; dataDir?: string };

async function siteOn(settings: Parameters<typeof startServer>[0]): Promise<Site> {
  const site: Site = {
    ...(await startServer(settings)),
    start: async () => {
      site.child = (await startServer(settings)).child;
    },
  };
  return site;
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "trailmark-torture-"));
  // The embedded PostgreSQL of root is another user, who has to pass.
  chmodSync(folder, 0o755);
  return folder;
}

/** A folder for as long as fn takes. */
export async function withFolder<T>(fn: (folder: string) => Promise<T>): Promise<T> {
  const folder = createFolder();
  try {
    return await fn(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Removes a data folder and the cluster of its server, which may lie elsewhere. */
function removeData(dataDir: string): void {
  const cluster = existsSync(join(dataDir, "postgres.json")) ? clusterOf(dataDir).folder : dataDir;
  for (const path of [cluster, dataDir]) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
}

async function during<T>(site: Site, fn: (site: Site) => Promise<T>): Promise<T> {
  try {
    return await fn(site);
  } finally {
    await endServer(site);
  }
}

/** The built server with a data folder of its own, for as long as fn takes. */
export async function withOwnServer<T>(
  fn: (site: Site) => Promise<T>,
  { dataDir = createFolder(), ...settings }: Settings = {},
): Promise<T> {
  try {
    return await during(await siteOn({ dataDir, port: await freePort(), ...settings }), fn);
  } finally {
    removeData(dataDir);
  }
}

let shared: { dataDir: string; port: number } | undefined;

/** One data folder for all tests that can share it: creating a cluster takes longest. */
async function sharedFolder() {
  if (shared) return shared;
  const dataDir = createFolder();
  process.on("exit", () => removeData(dataDir));
  // Always at one address: it is the name that its logs are signed under.
  shared = { dataDir, port: await freePort() };
  return shared;
}

/** The built server on the shared folder, for as long as fn takes. */
export const withServer = async <T>(fn: (site: Site) => Promise<T>, env: Record<string, string> = {}): Promise<T> =>
  during(await siteOn({ ...(await sharedFolder()), env }), fn);

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
