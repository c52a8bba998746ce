import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { clusterOf, freePort, type Server, startServer, stopServer } from "@/testing/server";

let shared: string | undefined;

/** One data folder for the lines that do not mind what an earlier one left: making a cluster takes longest of all. */
function sharedFolder(): string {
  if (shared) return shared;
  const folder = mkdtempSync(join(tmpdir(), "trailmark-torture-"));
  process.on("exit", () => {
    const cluster = existsSync(join(folder, "postgres.json")) ? clusterOf(folder).folder : folder;
    for (const path of [cluster, folder]) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  });
  shared = folder;
  return folder;
}

let port: number | undefined;

/** Starts the built server on the shared folder, always at one address: it is the name that its logs are signed under. */
export async function startShared(extra: Record<string, string> = {}): Promise<Server> {
  port ??= await freePort();
  return startServer({ dataDir: sharedFolder(), port, env: extra });
}

/** The same for as long as fn takes. */
export async function withServer<T>(
  fn: (server: Server) => Promise<T>,
  extra: Record<string, string> = {},
): Promise<T> {
  const server = await startShared(extra);
  try {
    return await fn(server);
  } finally {
    await stopServer(server);
  }
}

/** Resident memory of the server's process in MB; 0 where the system does not report it. */
export function residentMb({ child }: Server): number {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Files and sockets that the server's process has open; 0 where the system does not report it. */
export function openHandles({ child }: Server): number {
  try {
    return readdirSync(`/proc/${child.pid}/fd`).length;
  } catch {
    return 0;
  }
}

export function ownerUrl({ dataDir }: Server): string {
  const { owner, port } = clusterOf(dataDir);
  return `postgres://trailmark_owner:${owner}@127.0.0.1:${port}/trailmark`;
}

/** The owner of the server's database, as a client that has its password. */
export const ownerOf = (server: Server): postgres.Sql => postgres(ownerUrl(server), { max: 1, onnotice: () => {} });
