import { randomBytes } from "node:crypto";
import { createReadStream, type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";

/** Receives a file of the cluster: relative name, size and contents. */
export type TakeFile = (name: string, size: number, bytes: AsyncIterable<Uint8Array> | Uint8Array[]) => Promise<void>;

/** Folders whose files a server recreates (PostgreSQL manual, "Making a Base Backup Using the Low Level API"). */
const CONTENT_LEFT_OUT = new Set([
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
]);
const LEFT_OUT = /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|backup_label(\.old)?|tablespace_map)$/;
/** Copied last, as pg_basebackup does. */
const CONTROL = "global/pg_control";

async function copyOne(cluster: string, name: string, take: TakeFile): Promise<void> {
  const path = join(cluster, name);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return; // Dropped during the copy; replaying the log drops it too.
  const bytes = createReadStream(path);
  const isThere = await new Promise<boolean>((resolve, reject) => {
    bytes.once("open", () => resolve(true));
    bytes.once("error", (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? resolve(false) : reject(error)));
  });
  if (isThere) await take(name, size, bytes);
}

async function copyFolder(cluster: string, folder: string, take: TakeFile): Promise<void> {
  if (folder) await take(`${folder}/`, 0, []);
  const entries: Dirent[] = readdirSync(join(cluster, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.isSymbolicLink()) throw new Error(`${name} is a link: a cluster with tablespaces cannot be copied`);
    if (entry.isDirectory()) {
      if (!CONTENT_LEFT_OUT.has(folder)) await copyFolder(cluster, name, take);
    } else if (!LEFT_OUT.test(entry.name) && !CONTENT_LEFT_OUT.has(folder) && name !== CONTROL)
      await copyOne(cluster, name, take);
  }
}

/** WAL file names from one to another of a timeline. */
function segmentsBetween(first: string, last: string, bytes: number): string[] {
  const perId = 2 ** 32 / bytes;
  const numberOf = (name: string) =>
    Number.parseInt(name.slice(8, 16), 16) * perId + Number.parseInt(name.slice(16), 16);
  const hex = (n: number) => n.toString(16).toUpperCase().padStart(8, "0");
  const names: string[] = [];
  for (let n = numberOf(first); n <= numberOf(last); n++)
    names.push(`${first.slice(0, 8)}${hex(Math.floor(n / perId))}${hex(n % perId)}`);
  return names;
}

/**
 * Copies a running cluster consistently: its files as they are, then the WAL written meanwhile, with which a server
 * restores one state. Runs in the background.
 * @param ownerUrl the cluster's superuser
 */
export async function copyCluster(ownerUrl: string, cluster: string, take: TakeFile): Promise<void> {
  const sql = postgres(ownerUrl, { max: 1, max_lifetime: null, idle_timeout: 0, onnotice: () => {} });
  try {
    await sql`SET statement_timeout = 0`;
    // Keeps WAL files until this session ends.
    const slot = `trailmark_backup_${randomBytes(4).toString("hex")}`;
    await sql`SELECT pg_create_physical_replication_slot(${slot}, true, true)`;
    const [start] = await sql<{ wal: string; bytes: number }[]>`
      SELECT pg_walfile_name(pg_backup_start('trailmark', true)) AS wal,
        (SELECT setting::int FROM pg_settings WHERE name = 'wal_segment_size') AS bytes`;
    await copyFolder(cluster, "", take);
    await copyOne(cluster, CONTROL, take);
    const [stop] = await sql<{ wal: string; label: string }[]>`
      SELECT pg_walfile_name(lsn) AS wal, labelfile AS label FROM pg_backup_stop(false)`;
    if (!start || !stop) throw new Error("PostgreSQL did not say where the backup begins and ends");
    for (const name of segmentsBetween(start.wal, stop.wal, start.bytes)) {
      if (!existsSync(join(cluster, "pg_wal", name))) throw new Error(`the log's file ${name} is gone`);
      await copyOne(cluster, `pg_wal/${name}`, take);
    }
    const label = Buffer.from(stop.label);
    await take("backup_label", label.length, [label]);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
