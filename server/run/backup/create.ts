import { createReadStream, existsSync, readdirSync, readFileSync } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { copyCluster } from "@/db/embedded/base-backup";
import { createFolder } from "@/db/embedded/create-folder";
import { RELEASE } from "@/server/ground/build";
import { env } from "@/server/ground/env";
import { ArchiveWriter, BackupError, explained, type Member } from "./archive";
import { type Dumped, dumpDatabase, readDatabase, withOwner } from "./dump";
import { CLUSTER, DATA, DUMP, KEYS, MANIFEST, type Manifest } from "./manifest";
import { type KeyFile, sealKeys } from "./sealed-keys";
import { verifyBackup } from "./verify";

/** Parts of the data folder in a backup: waiting events, and everything signed. */
const FOLDERS = ["spool", "checkpoints"] as const;

/** Secrets of the data folder and the file of TRAILMARK_SIGNING_KEY_FILE, under its name in the folder. */
function keyFiles(): KeyFile[] {
  const { TRAILMARK_DATA_DIR: dir, TRAILMARK_SIGNING_KEY_FILE: given } = env();
  const names = ["nextauth-secret", ...filesBelow(dir, "keys")];
  const found = names.filter((name) => existsSync(join(dir, name)));
  const files = found.map((name) => ({ name, content: readFileSync(join(dir, name)).toString("base64") }));
  if (!given) return files;
  const signing = "keys/checkpoint-ed25519.pem";
  return [
    ...files.filter(({ name }) => name !== signing),
    { name: signing, content: readFileSync(given).toString("base64") },
  ];
}

/** Names of files below a data subfolder, with slashes. */
function filesBelow(dir: string, folder: string): string[] {
  const top = join(dir, folder);
  if (!existsSync(top)) return [];
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(dir.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
}

/** Adds spool and checkpoints; files removed during the copy (written spool segments) are omitted. */
export async function addDataFolder(archive: ArchiveWriter): Promise<Member[]> {
  const dir = env().TRAILMARK_DATA_DIR;
  const members: Member[] = [];
  for (const name of FOLDERS.flatMap((folder) => filesBelow(dir, folder))) {
    // Opened first, so that it cannot vanish or be replaced.
    const file = await open(join(dir, name)).catch(() => null);
    if (!file) continue;
    try {
      const { size } = await file.stat();
      members.push(await archive.add(`${DATA}${name}`, size, file.createReadStream({ autoClose: false })));
    } finally {
      await file.close();
    }
  }
  return members;
}

/** Source of a backup: the embedded cluster's files, or the operator's database through pg_dump. */
export type BackupSource = { kind: "cluster"; ownerUrl: string; cluster: string } | { kind: "dump"; ownerUrl: string };

export type BackupInput = {
  source: BackupSource;
  /** A new file, or a folder in which one is named by the time. */
  to: string;
  /** Seals the keys into the backup; without it they are omitted. */
  passphrase?: string | undefined;
  now?: Date;
};

export type Backup = { file: string; bytes: number; manifest: Manifest };

const SUFFIX = ".trailmark-backup.tar.gz";

const named = (now: Date): string =>
  `trailmark-${now
    .toISOString()
    .replace(/[-:]|\.\d+/g, "")
    .replace("T", "-")}${SUFFIX}`;

/** @throws BackupError when the file exists */
async function fileFor(to: string, now: Date): Promise<string> {
  const path = resolve(to);
  const found = await stat(path).catch(() => null);
  const isFolder = found?.isDirectory() || /[/\\]$/.test(to);
  const file = isFolder ? join(path, named(now)) : path;
  if (await stat(file).catch(() => null))
    throw new BackupError(`${file} is there already: nothing was written over it.`);
  createFolder(dirname(file), 0o700);
  return file;
}

type Archived = { members: Member[]; recorded: Dumped; platform: string | null };

const archiveCluster = (archive: ArchiveWriter, ownerUrl: string, cluster: string): Promise<Archived> =>
  withOwner(ownerUrl, async (sql) => {
    const [row] = await sql<{ version: string }[]>`SELECT current_setting('server_version') AS version`;
    const recorded = { version: row?.version ?? "", ...(await readDatabase(sql)) };
    const members: Member[] = [];
    await copyCluster(ownerUrl, cluster, async (name, size, bytes) => {
      members.push(await archive.add(`${CLUSTER}${name}`, size, bytes));
    });
    return { members, recorded, platform: `${process.platform}-${process.arch}` };
  });

async function archiveDump(archive: ArchiveWriter, ownerUrl: string, file: string): Promise<Archived> {
  const dumped = `${file}.dump.partial`;
  try {
    const recorded = await dumpDatabase(ownerUrl, dumped);
    const { size } = await stat(dumped);
    return { members: [await archive.add(DUMP, size, createReadStream(dumped))], recorded, platform: null };
  } finally {
    await rm(dumped, { force: true });
  }
}

type Begun = Pick<BackupInput, "source" | "passphrase"> & { file: string; now: Date };

async function write(archive: ArchiveWriter, { file, source, passphrase, now }: Begun): Promise<Manifest> {
  // The spool holds events until the database has them, and checkpoints follow the database: copied first, nothing is
  // missed and no checkpoint is ahead.
  const data = await addDataFolder(archive);
  const { recorded, members, platform } =
    source.kind === "cluster"
      ? await archiveCluster(archive, source.ownerUrl, source.cluster)
      : await archiveDump(archive, source.ownerUrl, file);
  const keys = passphrase === undefined ? [] : [await archive.addBytes(KEYS, sealKeys(keyFiles(), passphrase))];
  const { version, migrations, newestMigration, heads } = recorded;
  const manifest: Manifest = {
    format: "trailmark-backup",
    version: 1,
    product: RELEASE,
    createdAt: now.toISOString(),
    kind: source.kind,
    postgres: { version, platform },
    migrations,
    newestMigration,
    heads,
    hasKeys: keys.length > 0,
    members: [...data, ...members, ...keys],
  };
  await archive.addBytes(MANIFEST, Buffer.from(`${JSON.stringify(manifest)}\n`));
  return manifest;
}

async function readAgain(partial: string): Promise<void> {
  await verifyBackup(partial).catch((error: unknown) => {
    if (!(error instanceof BackupError)) throw error;
    throw new BackupError(
      `No backup was made, and nothing is left of the attempt, for it could not be restored: ${error.message}`,
    );
  });
}

/**
 * Writes a consistent backup of database, spool and checkpoints into one file of mode 0600, visible once complete and
 * verified.
 * @throws BackupError with a sentence: the disk is full, pg_dump is missing or too old, the file exists, or it could
 * not be restored
 */
export async function createBackup(input: BackupInput): Promise<Backup> {
  const now = input.now ?? new Date();
  const file = await fileFor(input.to, now).catch((error: unknown) => {
    throw explained(error, input.to);
  });
  const archive = new ArchiveWriter(file);
  try {
    const manifest = await write(archive, { ...input, file, now });
    const bytes = await archive.finish(readAgain);
    return { file, bytes, manifest };
  } catch (error) {
    await archive.abort();
    throw explained(error, file);
  }
}
