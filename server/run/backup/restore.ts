import { createWriteStream, existsSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { type ClusterReceiver, findClusterLocation, receiveCluster } from "@/db/embedded/base-restore";
import { createFolder } from "@/db/embedded/create-folder";
import { newestMigration } from "@/db/version";
import { BackupError, explained, type ReadMember, readArchive } from "./archive";
import { countTables, dropAll, loadDump, type Target } from "./dump";
import { CLUSTER, DATA, DUMP, KEYS, type Manifest } from "./manifest";
import { type KeyFile, openKeys } from "./sealed-keys";
import { verifyBackup } from "./verify";

/**
 * Restores files to a data folder. Existing ones stay: newer checkpoints are the only witnesses of losses, spooled
 * events exist nowhere else, and keys are never replaced.
 */
class DataReceiver {
  /** Existing files, by name. */
  readonly kept: string[] = [];

  constructor(private readonly dataDir: string) {}

  /** Path for a file, or null if it exists. */
  #place(name: string): string | null {
    const path = join(this.dataDir, name);
    if (existsSync(path)) {
      this.kept.push(name);
      return null;
    }
    createFolder(dirname(path), 0o700);
    return path;
  }

  async put(name: string, bytes: AsyncIterable<Buffer>): Promise<void> {
    const path = this.#place(name);
    if (path) await pipeline(bytes, createWriteStream(path, { mode: 0o600, flags: "wx" }));
  }

  putKeys(files: readonly KeyFile[]): void {
    for (const { name, content } of files) {
      const path = this.#place(name);
      if (path) writeFileSync(path, Buffer.from(content, "base64"), { mode: 0o600, flag: "wx", flush: true });
    }
  }
}

export type RestoreInput = {
  file: string;
  dataDir: string;
  /** The embedded cluster of the data folder, or an external database. */
  target: { kind: "cluster" } | ({ kind: "dump" } & Target);
  /** Replaces existing data; `say` is told about it before. */
  force: boolean;
  passphrase?: string | undefined;
  say: (line: string) => void;
};

/** kept: existing files of the data folder, which replaced the backup's. */
export type Restored = { manifest: Manifest; kept: string[] };

const majorOf = (version: string): string => version.split(".")[0] ?? "";

function checkVersions({ kind, product, postgres, ...backup }: Manifest, { target }: RestoreInput): void {
  // By date, not by number: an upgraded database also has the older ones.
  if (backup.newestMigration > newestMigration())
    throw new BackupError(`The backup is of a later version, ${product}: restore it with that version or a newer one.`);
  if (kind === "cluster" && target.kind === "dump")
    throw new BackupError(
      "The backup holds an embedded cluster, and DATABASE_URL names a server: restore it with DATABASE_URL unset, then move it with `trailmark backup`'s dump.",
    );
  if (kind === "dump" && target.kind === "cluster")
    throw new BackupError(
      "The backup holds a dump: set DATABASE_URL and TRAILMARK_OWNER_DATABASE_URL of a server for it.",
    );
  const here = `${process.platform}-${process.arch}`;
  if (kind === "cluster" && postgres.platform !== here)
    throw new BackupError(`The backup is of a cluster on ${postgres.platform}; its files do not run on ${here}.`);
}

/** Path to which the old cluster is moved, or undefined without one. @throws BackupError */
function makeRoomForCluster({ target, dataDir, force, say }: RestoreInput, { postgres }: Manifest): string | undefined {
  if (target.kind !== "cluster") return undefined;
  const location = findClusterLocation(dataDir);
  if (majorOf(location.version) !== majorOf(postgres.version))
    throw new BackupError(
      `The backup is of PostgreSQL ${postgres.version}, this version brings ${location.version}: restore with the version that made it.`,
    );
  if (!location.exists) return undefined;
  if (location.isRunning)
    throw new BackupError(`The PostgreSQL of ${location.cluster} is running: stop the server first.`);
  if (!force)
    throw new BackupError(
      `There is a database in ${location.cluster} already: nothing was restored. With --force it is moved aside and replaced.`,
    );
  const aside = `${location.cluster}.replaced-${Date.now()}`;
  say(`Replaces   ${location.cluster}; the old one is kept as ${aside}`);
  return aside;
}

async function makeRoomInDatabase({ target, force, say }: RestoreInput): Promise<void> {
  if (target.kind !== "dump") return;
  const tables = await countTables(target);
  if (tables === 0) return;
  if (!force)
    throw new BackupError(
      `The database of TRAILMARK_OWNER_DATABASE_URL is not empty (${tables} tables): nothing was restored. With --force they are dropped.`,
    );
  say(`Replaces   ${tables} tables of the database: they are dropped with everything in them`);
  await dropAll(target);
}

type Targets = { cluster: ClusterReceiver | null; dump: string; data: DataReceiver };

async function receive({ name, body }: ReadMember, { cluster, dump, data }: Targets): Promise<void> {
  if (name.startsWith(CLUSTER)) await cluster?.put(name.slice(CLUSTER.length), body);
  else if (name.startsWith(DATA)) await data.put(name.slice(DATA.length), body);
  else if (name === DUMP) await pipeline(body, createWriteStream(dump, { mode: 0o600 }));
}

/** Opens the keys before anything is written, so that a wrong passphrase has no effect. */
async function readKeys({ hasKeys }: Manifest, { file, passphrase }: RestoreInput): Promise<KeyFile[]> {
  if (passphrase === undefined) return [];
  for await (const { name, body } of readArchive(file))
    if (name === KEYS) return openKeys(await buffer(body), passphrase);
  throw new BackupError(
    hasKeys ? "The backup holds no keys, against its manifest." : "The backup holds no keys to open.",
  );
}

/**
 * Restores a backup into an empty target, after verifying it: the database with its roles, then spool, checkpoints and,
 * with the passphrase, missing keys. The caller checks the chains afterwards.
 * @throws BackupError: damaged, of a later version, of another machine, not empty, wrong passphrase
 */
export async function restoreBackup(input: RestoreInput): Promise<Restored> {
  const { file, target, dataDir } = input;
  const manifest = await verifyBackup(file);
  checkVersions(manifest, input);
  const keys = await readKeys(manifest, input);
  const aside = makeRoomForCluster(input, manifest);
  await makeRoomInDatabase(input);
  const folder = await mkdtemp(join(tmpdir(), "trailmark-restore-"));
  const cluster = target.kind === "cluster" ? receiveCluster(dataDir, aside) : null;
  const data = new DataReceiver(dataDir);
  const targets: Targets = { cluster, dump: join(folder, DUMP), data };
  try {
    for await (const member of readArchive(file)) await receive(member, targets);
    if (target.kind === "dump") await loadDump(target, targets.dump);
    else await cluster?.finish();
    data.putKeys(keys);
    return { manifest, kept: data.kept };
  } catch (error) {
    cluster?.abort();
    throw explained(error, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
