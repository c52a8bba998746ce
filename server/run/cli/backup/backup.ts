import { join } from "node:path";
import { closeDatabase } from "@/db/client";
import { messageOf } from "@/db/thrown";
import { startRecording, stopRecording } from "@/server/audit/record/record";
import { env } from "@/server/ground/env";
import { BackupError } from "@/server/run/backup/backup-error";
import { type Backup, type BackupSource, createBackup } from "@/server/run/backup/create";
import type { Manifest } from "@/server/run/backup/manifest";
import { verifyBackup } from "@/server/run/backup/verify";
import { type Command, printNote, readArgs, say } from "@/server/run/cli/command";
import { prepareEnvironment } from "@/server/run/process/prepare";
import { recordRun } from "@/server/setup/backup-runs";
import { readPassphrase } from "./passphrase";

const counted = new Intl.NumberFormat("en");
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

export function describeBackup({ createdAt, product, kind, postgres, heads, hasKeys, members }: Manifest): void {
  const entries = heads.reduce((sum, { seq }) => sum + seq, 0);
  say(`Taken      ${createdAt}, Trailmark ${product}, PostgreSQL ${postgres.version}`);
  say(`Holds      ${kind === "cluster" ? "the embedded cluster" : "a dump of the database"}, ${members.length} files`);
  say(`Chains     ${counted.format(heads.length)}, through ${counted.format(entries)} entries in all`);
  say(
    `Keys       ${hasKeys ? "sealed under the passphrase" : "not included: keep keys/ and nextauth-secret elsewhere"}`,
  );
}

/** Keeps and records the run; the backup is good all the same where that cannot be done. */
async function keepRun({ file, bytes, manifest }: Backup): Promise<void> {
  try {
    await startRecording({ dir: join(env().TRAILMARK_DATA_DIR, "spool") });
    const takenAt = new Date(manifest.createdAt);
    await recordRun({ kind: "backup", takenAt, file, bytes, hasKeys: manifest.hasKeys });
  } catch (error) {
    printNote(`The backup is good, but that it was made could not be kept in the database: ${messageOf(error)}`);
  } finally {
    await stopRecording();
  }
}

async function create(to: string, passphrase: string | undefined): Promise<number> {
  const embedded = await prepareEnvironment();
  try {
    const ownerUrl = embedded?.ownerUrl ?? env().TRAILMARK_OWNER_DATABASE_URL;
    if (!ownerUrl)
      throw new BackupError("TRAILMARK_OWNER_DATABASE_URL is not set: a backup is read with the owner's rights.");
    const source: BackupSource = embedded
      ? { kind: "cluster", ownerUrl, cluster: embedded.cluster }
      : { kind: "dump", ownerUrl };
    const backup = await createBackup({ source, to, passphrase });
    say(`Backup     ${backup.file}`);
    say(`Size       ${megabytes(backup.bytes)}, read again and verified`);
    describeBackup(backup.manifest);
    await keepRun(backup);
    return 0;
  } finally {
    await closeDatabase();
    await embedded?.stop();
  }
}

/** A consistent backup into one file, or the check of one. */
export const backup: Command = {
  usage: "[--to DIR|FILE] [--keys-passphrase-file FILE] | --verify FILE",
  summary: "back up database, spool and checkpoints into one verified file; --verify checks one and changes nothing",
  async run(args) {
    const { values } = readArgs(args, {
      to: { type: "string" },
      verify: { type: "string" },
      "keys-passphrase-file": { type: "string" },
    });
    if (values.verify === undefined)
      return create(values.to ?? "backups/", readPassphrase(values["keys-passphrase-file"]));
    const manifest = await verifyBackup(values.verify);
    say(`Verified   ${values.verify}: every file is what the manifest says`);
    describeBackup(manifest);
    return 0;
  },
};
