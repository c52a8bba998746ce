import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { clusterOf, freePort, type Server, startServer, stopServer } from "@/testing/server";

let shared: string | undefined;

/** One data folder for all tests that can share it: creating a cluster takes longest. */
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

/** Starts the built server on the shared folder, always at one address, under which its logs are signed. */
export async function startShared(extra: Record<string, string> = {}): Promise<Server> {
  port ??= await freePort();
  return startServer({ dataDir: sharedFolder(), port, env: extra });
}

/** Runs fn with the shared server. */
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

/** Resident memory of the server's process in MB; 0 if unavailable. */
export function residentMb({ child }: Server): number {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Open files and sockets of the server's process; 0 if unavailable. */
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

/** Connection as the owner of the server's database. */
export const ownerOf = (server: Server): postgres.Sql => postgres(ownerUrl(server), { max: 1, onnotice: () => {} });
