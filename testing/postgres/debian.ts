import { execFileSync } from "node:child_process";
import { appendFileSync, chownSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@/testing/server";
import { tempFolder } from "@/testing/temp-folder";

const HOME = "/usr/lib/postgresql";
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const newest = existsSync(HOME) ? readdirSync(HOME).sort((a, b) => Number(b) - Number(a))[0] : undefined;
const bin = join(HOME, newest ?? "", "bin");

/** True if Debian's PostgreSQL is installed: the embedded one lacks pg_basebackup. */
export const hasDebianPostgres = (): boolean =>
  ["initdb", "pg_ctl", "pg_basebackup"].every((name) => existsSync(join(bin, name)));

function run(name: string, ...args: string[]): void {
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  execFileSync(join(bin, name), args, { stdio: "ignore", cwd: "/", ...user });
}

/** Runs a guide's commands as the clusters' user, with PostgreSQL's programs on the PATH. */
export function runAsPostgres(commands: string, env: Record<string, string>): void {
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const PATH = `${bin}:${process.env.PATH}`;
  execFileSync("sh", ["-euc", commands], {
    cwd: "/",
    env: { NODE_ENV: "test", PATH, ...env },
    stdio: "ignore",
    ...user,
  });
}

/** A folder owned by the clusters' user. */
export function newFolder(): string {
  const folder = tempFolder();
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  return folder;
}

export type DebianPostgres = {
  url: (user: string, database?: string) => string;
  start: () => void;
  stop: () => void;
  remove: () => void;
};

function serverIn(folder: string, port: number): DebianPostgres {
  const data = join(folder, "data");
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`;
  const stop = () => run("pg_ctl", "-D", data, "-m", "immediate", "-w", "-s", "stop");
  return {
    url: (user, database = "trailmark") => `postgres://${user}:secret@127.0.0.1:${port}/${database}`,
    start: () => run("pg_ctl", "-D", data, "-w", "-s", "-l", join(folder, "log"), "-o", options, "start"),
    stop,
    remove: () => {
      try {
        stop();
      } catch {
        // Already stopped.
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a new cluster with a superuser `super`; `settings` are appended to postgresql.conf. */
export async function startPrimary(settings = ""): Promise<DebianPostgres> {
  const folder = newFolder();
  const [data, server] = [join(folder, "data"), serverIn(folder, await freePort())];
  run("initdb", "-D", data, "-U", "super", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "-N");
  appendFileSync(join(data, "postgresql.conf"), `${settings}\n`);
  server.start();
  return server;
}

export async function startReplica(of: DebianPostgres): Promise<DebianPostgres> {
  const folder = newFolder();
  const server = serverIn(folder, await freePort());
  run("pg_basebackup", "-D", join(folder, "data"), "-d", of.url("super", "postgres"), "-R", "-c", "fast");
  server.start();
  return server;
}
