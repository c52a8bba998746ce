import { spawn, spawnSync } from "node:child_process";
import { POSTGRES_ENV } from "@/db/embedded/runner";
import { BackupError } from "./backup-error";

type Tool = "pg_dump" | "pg_restore";

/** libpq's variables of an address, so that no password is in a list of processes. */
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
 * Sees that a client program of PostgreSQL is there and knows the server.
 * @param serverVersion server_version_num, such as 150004
 * @throws BackupError when it is missing, or older than the server
 */
export function requireTool(tool: Tool, serverVersion: number): void {
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

/** @throws BackupError with what the program said */
export function runTool(tool: Tool, args: string[], url: string): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(tool, args, {
      env: { ...POSTGRES_ENV, ...connectionEnv(url) },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output = `${output}${text}`.slice(-4_000);
    });
    child.once("error", fail);
    child.once("close", (code) => {
      if (code === 0) return done();
      const full = /No space left on device/.test(output) ? "the disk is full: " : "";
      fail(new BackupError(`${tool} failed: ${full}${output.trim()}`));
    });
  });
}
