import { statSync } from "node:fs";
import { resolve } from "node:path";
import { flushRecording } from "@/server/audit/record/record";
import type { StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { listLostOrganizations } from "@/server/evidence/integrity/checkpoints";
import { counted } from "@/server/ground/text";
import { BackupError } from "@/server/run/backup/backup-error";
import { checkChains, missingHeads, type RestoredChain } from "@/server/run/backup/check-chains";
import type { Manifest } from "@/server/run/backup/manifest";
import { type RestoreInput, restoreBackup } from "@/server/run/backup/restore";
import { type Command, printNote, readArgs, required, say } from "@/server/run/cli/command";
import { onPlatform } from "@/server/run/cli/platform";
import { EXIT_CODE, wordOf } from "@/server/run/cli/verdict-words";
import { readEnvironment } from "@/server/run/process/prepare";
import { recordRun } from "@/server/setup/backup-runs";
import { describeBackup } from "./backup";
import { readPassphrase } from "./passphrase";

/** Where a restore goes, found without starting a database. */
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

/** Verifies every chain against the checkpoints, then keeps and records that it was restored. */
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

/** Brings a backup back into an empty place and says what every chain is worth afterwards. */
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
