import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { sql } from "drizzle-orm";
import { asSystem, closeDatabase } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { messageOf } from "@/db/thrown";
import { flushRecording, startRecording, stopRecording } from "@/server/audit/record/record";
import { readLatest } from "@/server/evidence/checkpoints/folder";
import type { StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { openAlarms, raiseAlarm } from "@/server/evidence/integrity/alarm";
import { listHeads, listLostOrganizations } from "@/server/evidence/integrity/checkpoints";
import { type Judged, judgeChain } from "@/server/evidence/integrity/judge";
import { env } from "@/server/ground/env";
import { counted } from "@/server/ground/text";
import { BackupError } from "@/server/run/backup/archive";
import { type Backup, type BackupSource, createBackup } from "@/server/run/backup/create";
import type { ChainHead, Manifest } from "@/server/run/backup/manifest";
import { type RestoreInput, restoreBackup } from "@/server/run/backup/restore";
import { verifyBackup } from "@/server/run/backup/verify";
import { prepareEnvironment, readEnvironment } from "@/server/run/process/prepare";
import { recordRun } from "@/server/setup/backup-runs";
import { type Command, printNote, readArgs, required, say, UsageError } from "./command";
import { onPlatform } from "./platform";
import { EXIT_CODE, wordOf } from "./show-verdict";

/** First line of an option's file. */
function readPassphrase(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8").split(/\r?\n/, 1)[0];
  } catch (error) {
    throw new UsageError(`--keys-passphrase-file: ${messageOf(error)}`);
  }
}

const number = new Intl.NumberFormat("en");
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

function describeBackup({ createdAt, product, kind, postgres, heads, hasKeys, members }: Manifest): void {
  const entries = heads.reduce((sum, { seq }) => sum + seq, 0);
  say(`Taken      ${createdAt}, Trailmark ${product}, PostgreSQL ${postgres.version}`);
  say(`Holds      ${kind === "cluster" ? "the embedded cluster" : "a dump of the database"}, ${members.length} files`);
  say(`Chains     ${number.format(heads.length)}, through ${number.format(entries)} entries in all`);
  say(
    `Keys       ${hasKeys ? "sealed under the passphrase" : "not included: keep keys/ and nextauth-secret elsewhere"}`,
  );
}

/** Stores and records the run; a failure to do so does not invalidate the backup. */
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

/** Creates a consistent backup, or verifies one. */
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

/** A chain after a restore. */
type RestoredChain = {
  orgId: string;
  lastSeq: number;
  verdict: Judged;
  /** Our checkpoint that covers more than exists: entries were lost. */
  beyond: { size: number; signedAt: string } | null;
  /** Start of an open alarm; null if there is none. */
  alarmSince: string | null;
};

/** Heads of a manifest missing or different in the database. */
async function missingHeads(heads: readonly ChainHead[]): Promise<ChainHead[]> {
  const missing: ChainHead[] = [];
  for (const head of heads) {
    const found = await asSystem((tx) =>
      rowsOf<{ checksum: string }>(
        tx,
        sql`SELECT checksum FROM audit_logs WHERE org_id = ${head.orgId} AND chain_seq = ${head.seq}`,
      ),
    );
    const isPruned = head.seq === 0;
    if (!isPruned && found[0]?.checksum !== head.checksum) missing.push(head);
  }
  return missing;
}

/** Reads every chain and compares it with the data folder's checkpoints; a broken one raises the alarm. */
async function checkChains(): Promise<RestoredChain[]> {
  const chains: Omit<RestoredChain, "alarmSince">[] = [];
  for (const { orgId, seq } of await listHeads()) {
    const latest = await readLatest(orgId);
    const verdict = await judgeChain(orgId);
    const { breaks } = verdict;
    if (breaks.length > 0) await raiseAlarm({ orgId, at: new Date().toISOString(), source: "on demand", breaks });
    const beyond = latest && latest.size > seq ? { size: latest.size, signedAt: latest.signedAt } : null;
    chains.push({ orgId, lastSeq: seq, verdict, beyond });
  }
  const alarms = new Map((await openAlarms({ kind: "system" })).map(({ orgId, at }) => [orgId, at]));
  return chains
    .map((chain) => ({ ...chain, alarmSince: alarms.get(chain.orgId) ?? null }))
    .filter(({ lastSeq, beyond, alarmSince }) => lastSeq > 0 || beyond || alarmSince);
}

/** Target of a restore, determined without starting a database. */
function targetOf(): Pick<RestoreInput, "target" | "dataDir"> {
  const read = readEnvironment();
  const { TRAILMARK_DATA_DIR: dataDir, TRAILMARK_OWNER_DATABASE_URL: ownerUrl } = read;
  if (read.isEmbedded) return { dataDir, target: { kind: "cluster" } };
  if (!ownerUrl) throw new BackupError("TRAILMARK_OWNER_DATABASE_URL is not set: a restore needs the owner's rights.");
  const { DATABASE_URL: appUrl, AUDIT_ADMIN_DATABASE_URL: adminUrl } = read;
  return { dataDir, target: { kind: "dump", ownerUrl, appUrl, adminUrl } };
}

function describeChain({ orgId, lastSeq, verdict, beyond, alarmSince }: RestoredChain): void {
  if (beyond) {
    say(`LOST       ${orgId}  the chain ends at sequence ${lastSeq}; a checkpoint of ${beyond.signedAt} signed`);
    say(`           ${beyond.size} entries. Bring back a newer backup, or run: continue-chain --org ${orgId}`);
    return;
  }
  say(`${wordOf(verdict.status).padEnd(10)} ${orgId}  through sequence ${lastSeq}`);
  for (const reason of verdict.reasons) say(`           ${reason}`);
  for (const { seq, kind, actual } of verdict.breaks.slice(0, 3))
    say(`           ${kind} at sequence ${seq}: ${actual}`);
  if (alarmSince) say(`           an alarm is open since ${alarmSince}`);
}

function describeLost({ orgId, size, signedAt }: StoredNote): void {
  say(`LOST       ${orgId}  the database has no such organization; a checkpoint of ${signedAt} signed`);
  say(`           ${counted(size, "entry", "entries")}. Bring back a newer backup.`);
}

const isBroken = ({ verdict, beyond, alarmSince }: RestoredChain): boolean =>
  verdict.status === "broken" || beyond !== null || alarmSince !== null;

const SENTENCES: Record<number, string> = {
  [EXIT_CODE.intact]: "Every chain is as it was signed.",
  [EXIT_CODE.broken]: "Not every chain is as it was signed: see above.",
  [EXIT_CODE.unproven]: "Not every chain is proven to be as it was signed: see above.",
};

/** Verifies every chain against the checkpoints, then records the restore. */
async function judge(file: string, manifest: Manifest): Promise<number> {
  const missing = await missingHeads(manifest.heads);
  for (const { orgId, seq } of missing) printNote(`MISSING    ${orgId}  sequence ${seq}, which the manifest names`);
  const chains = await checkChains();
  for (const chain of chains) describeChain(chain);
  const lost = await listLostOrganizations();
  for (const note of lost) describeLost(note);
  const takenAt = new Date(manifest.createdAt);
  await recordRun({ kind: "restore", takenAt, file, bytes: statSync(file).size, hasKeys: manifest.hasKeys });
  await flushRecording();
  if (missing.length > 0 || lost.length > 0 || chains.some(isBroken)) return EXIT_CODE.broken;
  return chains.some(({ verdict }) => verdict.status === "unproven") ? EXIT_CODE.unproven : EXIT_CODE.intact;
}

/** Restores a backup into an empty target and reports the state of every chain. */
export const restore: Command = {
  usage: "FILE [--force] [--keys-passphrase-file FILE]",
  summary:
    "restore a backup into an empty database or data folder and verify every chain; exit code 0 all well, 1 entries lost, broken or refused, 3 not proven",
  async run(args) {
    const { values, positionals } = readArgs(
      args,
      { force: { type: "boolean" }, "keys-passphrase-file": { type: "string" } },
      1,
    );
    const file = resolve(required(positionals[0], "FILE"));
    const passphrase = readPassphrase(values["keys-passphrase-file"]);
    const force = values.force ?? false;
    const { manifest, kept } = await restoreBackup({ file, ...targetOf(), force, passphrase, say });
    say(`Restored   ${file}`);
    describeBackup(manifest);
    for (const name of kept) say(`Kept       ${name}: it was there already, the backup's was not used`);
    const code = await onPlatform(() => judge(file, manifest));
    say(SENTENCES[code] ?? "");
    return code;
  },
};
