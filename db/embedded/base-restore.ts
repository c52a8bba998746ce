import { randomBytes } from "node:crypto";
import { chownSync, createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Binaries, findBinaries, postgresOf } from "./binaries";
import { loadSecrets, prepareHome } from "./cluster";
import { readPostmaster } from "./postmaster";
import { type Runner, runner, runProgram } from "./runner";

/** Location of a data folder's cluster, existing or not. */
export type ClusterLocation = {
  cluster: string;
  /** A cluster exists. */
  exists: boolean;
  isRunning: boolean;
  /** Version of the packaged PostgreSQL. */
  version: string;
};

type Ground = { who: Runner; binaries: Binaries; cluster: string; password: string };

function ground(dataDir: string): Ground {
  const who = runner();
  const folder = resolve(dataDir);
  const home = prepareHome(folder, who);
  const { cluster, owner } = loadSecrets(folder, home);
  const path = cluster === "postgres" ? join(folder, "postgres") : cluster;
  return { who, binaries: findBinaries(who, home), cluster: path, password: owner };
}

export function findClusterLocation(dataDir: string): ClusterLocation {
  const { cluster, binaries } = ground(dataDir);
  const { kind } = readPostmaster(cluster);
  const isRunning = kind !== "none" && kind !== "foreign";
  return { cluster, exists: existsSync(join(cluster, "PG_VERSION")), isRunning, version: binaries.version };
}

function giveTo({ uid, gid }: Runner, folder: string): void {
  if (uid === undefined || gid === undefined) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    chownSync(join(entry.parentPath, entry.name), uid, gid);
  chownSync(folder, uid, gid);
}

/** Runs one statement in single-user mode, which first replays the backup's WAL. */
async function runSingle({ who, binaries, cluster }: Ground, statement: string): Promise<void> {
  const args = ["--single", "-D", cluster, "-c", "log_min_messages=warning", "postgres"];
  const { code, errors } = await runProgram(postgresOf(binaries), args, { ...who, input: `${statement}\n` });
  if (code !== 0 || /ERROR|FATAL|PANIC/.test(errors))
    throw new Error(`PostgreSQL does not take the restored cluster: ${errors || code}`);
}

/** Receives a cluster's files; `finish` makes it the data folder's own. */
export type ClusterReceiver = {
  put: (name: string, bytes: AsyncIterable<Uint8Array>) => Promise<void>;
  finish: () => Promise<void>;
  abort: () => void;
};

/**
 * Receives files from copyCluster(). The cluster appears under its name once complete, and its superuser gets the data
 * folder's password.
 * @param replacing where an existing cluster is moved to; without it there must be none
 */
export function receiveCluster(dataDir: string, replacing?: string): ClusterReceiver {
  const base = ground(dataDir);
  const draft = `${base.cluster}.restore-${randomBytes(4).toString("hex")}`;
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  return {
    async put(name, bytes) {
      const path = join(draft, name);
      if (name.endsWith("/")) return void mkdirSync(path, { recursive: true, mode: 0o700 });
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      await pipeline(Readable.from(bytes), createWriteStream(path, { mode: 0o600, flags: "wx" }));
    },
    async finish() {
      giveTo(base.who, draft);
      if (replacing && existsSync(base.cluster)) renameSync(base.cluster, replacing);
      renameSync(draft, base.cluster);
      await runSingle(base, `ALTER ROLE trailmark_owner PASSWORD '${base.password}'`);
    },
    abort: () => rmSync(draft, { recursive: true, force: true }),
  };
}
