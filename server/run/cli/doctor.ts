import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { installation } from "@/db/citus/install";
import { layout } from "@/db/citus/layout";
import { appSql, asSystem, closeDatabase } from "@/db/client";
import { otherGuards } from "@/db/guards";
import { staleFunctions } from "@/db/install-functions";
import { tightLimits } from "@/db/limits";
import { EXPECTED } from "@/db/roles";
import { causeOf, codeOf, messageOf } from "@/db/thrown";
import { countApplied, countMigrations, functionsOfVersion, isOfLater, OF_LATER, readApplied } from "@/db/version";
import { DEAD_LETTER_FILE } from "@/server/audit/record/dead-letters";
import { signerName } from "@/server/evidence/chain/signing-key";
import { readLatest } from "@/server/evidence/checkpoints/folder";
import { isTreeAsSigned } from "@/server/evidence/checkpoints/nodes";
import { ownKeys } from "@/server/evidence/checkpoints/stored-note";
import { openAlarms } from "@/server/evidence/integrity/alarm";
import { type Head, listHeads, listLostOrganizations } from "@/server/evidence/integrity/checkpoints";
import { formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { witnessPolicy } from "@/server/evidence/witnesses/policy-file";
import { RELEASE } from "@/server/ground/build";
import { databaseAddresses, env, ownPoolSize } from "@/server/ground/env";
import { groupBy } from "@/server/ground/records";
import { HOUR_MS } from "@/server/ground/time/durations";
import { unknownVariables } from "@/server/ground/unknown-variables";
import { checkAdminConnection } from "@/server/retention/schedule";
import { listStrayRows } from "@/server/retention/stray-rows";
import { unusableFolder, userName } from "@/server/run/process/data-folder";
import { refuseUnsafeRole } from "@/server/run/process/guard-role";
import { prepareEnvironment } from "@/server/run/process/prepare";
import { lastBackup } from "@/server/setup/backup-runs";
import { type Command, readArgs, say } from "./command";

/** ok: fine; warn: works, but needs attention; fail: broken. */
type Finding = { level: "ok" | "warn" | "fail"; about: string; detail: string };

const finding = (about: string, level: Finding["level"], detail: string): Finding => ({ level, about, detail });

/** A larger spool only occurs while the database is down. */
const MUCH_SPOOL_BYTES = 64 * 1024 * 1024;
const OTHERS_MAY_READ = 0o077;

/** A fault of the environment, with its variable. */
const lastLine = (error: unknown): string => messageOf(error).split("\n").at(-1)?.replace(/^ +- /, "") ?? "";

/** Events waiting on disk for the database, and permanently refused ones. */
function checkSpool(): Finding {
  const dir = join(env().TRAILMARK_DATA_DIR, "spool");
  if (!existsSync(dir)) return finding("spool", "ok", "none yet");
  let waiting = 0;
  let refused = 0;
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { size } = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false }) ?? { size: 0 };
    if (entry.name === DEAD_LETTER_FILE) refused += size;
    else waiting += size;
  }
  if (refused > 0)
    return finding("spool", "warn", `${refused} bytes of events that the database refused: ${DEAD_LETTER_FILE}`);
  return finding("spool", waiting > MUCH_SPOOL_BYTES ? "warn" : "ok", `${waiting} bytes waiting`);
}

/** Witness policy, as read at the server's start. */
function checkWitnesses(): Finding {
  const about = "witnesses";
  try {
    const policy = witnessPolicy();
    if (!policy) return finding(about, "ok", "none asked (TRAILMARK_WITNESS_POLICY_FILE)");
    const witnesses = policy.witnesses.filter(({ url }) => url !== null).map(({ name }) => name);
    if (witnesses.length === 0) return finding(about, "warn", "no witness of the policy has an address");
    return finding(about, "ok", witnesses.join(", "));
  } catch (error) {
    return finding(about, "fail", lastLine(error));
  }
}

/** Checkpoint key: present, Ed25519, and readable only by its owner. */
function checkKey(): Finding {
  const about = "signing key";
  const { TRAILMARK_SIGNING_KEY_FILE: given, TRAILMARK_DATA_DIR } = env();
  const file = given ?? join(TRAILMARK_DATA_DIR, "keys", "checkpoint-ed25519.pem");
  if (!existsSync(file))
    return given ? finding(about, "fail", `${file} does not exist`) : finding(about, "ok", "made at the first start");
  try {
    const keys = ownKeys().map(formatVerifierKey).join(" ");
    if (statSync(file).mode & OTHERS_MAY_READ)
      return finding(about, "warn", `${file} can be read by others (chmod 600); ${keys}`);
    return finding(about, "ok", `${keys} (pins every organization below ${signerName()})`);
  } catch (error) {
    return finding(about, "fail", lastLine(error));
  }
}

const MAX_NAMED = 5;
/** Heads are signed every minute or thousand rows, so a larger distance means no signer. */
const FAR_BEHIND_ROWS = 5_000;

/** Retention uses the database's clock; tokens and the future limit use this machine's. */
const MAX_APART_SECONDS = 5;

async function checkRole(): Promise<Finding> {
  try {
    await refuseUnsafeRole();
    return finding("application role", "ok", "neither superuser nor owner, row level security applies");
  } catch (error) {
    return finding("application role", "fail", messageOf(error));
  }
}

/** Session settings that differ from those that statements rely on, and clock skew. */
async function checkSession(): Promise<Finding[]> {
  const names = Object.keys(EXPECTED);
  const [row] = await appSql()<{ now: string; values: string[] }[]>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
      ARRAY(SELECT current_setting(name) FROM unnest(${names}::text[]) WITH ORDINALITY AS s(name, n) ORDER BY n) AS values`;
  const odd = names.filter((name, i) => row?.values[i] !== EXPECTED[name]);
  const tight = await tightLimits(appSql(), ownPoolSize());
  const apart = Math.round((Date.now() - Number(row?.now)) / 1000);
  const clock =
    apart === 0 ? "as this machine's" : `${Math.abs(apart)} s ${apart > 0 ? "behind" : "ahead of"} this machine's`;
  return [
    finding(
      "session settings",
      odd.length === 0 ? "ok" : "warn",
      odd.map((name) => `ALTER ROLE … SET ${name} = '${EXPECTED[name]}' is missing or overruled`).join("; ") ||
        "as expected",
    ),
    finding("session limits", tight.length === 0 ? "ok" : "warn", tight.join("; ") || "wide enough"),
    finding("database clock", Math.abs(apart) > MAX_APART_SECONDS ? "warn" : "ok", clock),
  ];
}

async function checkChain(): Promise<Finding[]> {
  const dates = await readApplied(appSql());
  const [applied, wanted] = [countApplied(dates), countMigrations()];
  const { faults: own, silent } = await layout().chainHealth(appSql());
  const faults = [...own, ...(await otherGuards(appSql(), databaseAddresses()))];
  const stale = (
    await staleFunctions(appSql(), installation(databaseAddresses().citus).functions(functionsOfVersion()))
  ).map(({ name }) => name);
  return [
    finding("migrations", applied >= wanted ? "ok" : "fail", `${applied} of ${wanted} applied`),
    ...(isOfLater(dates) ? [finding("migrations", "warn", OF_LATER)] : []),
    finding("functions", stale.length === 0 ? "ok" : "fail", stale.join(", ") || "all of this version"),
    finding("chain guards", faults.length === 0 ? "ok" : "fail", faults.join("; ") || "all as this version ships them"),
    ...silent.map((node) => finding("node", "fail", `${node} does not answer`)),
  ];
}

type Anchoring = "anchored" | "behind" | "unsigned" | "contradicted";

/** Compares the newest checkpoint outside the database with the database. */
async function anchoringOf(head: Head): Promise<Anchoring> {
  const newest = await readLatest(head.orgId);
  if (!newest) return "unsigned";
  if (newest.size > head.seq) return "contradicted";
  if (!(await asSystem((tx) => isTreeAsSigned(tx, newest)))) return "contradicted";
  return head.seq - newest.size > FAR_BEHIND_ROWS ? "behind" : "anchored";
}

const namedOrganizations = (ids: readonly string[]): string =>
  ids.slice(0, MAX_NAMED).join(", ") + (ids.length > MAX_NAMED ? " …" : "");

async function checkAnchors(): Promise<Finding> {
  const about = "checkpoints";
  const byState: Record<Anchoring, string[]> = { anchored: [], behind: [], unsigned: [], contradicted: [] };
  const heads = (await listHeads()).filter(({ seq }) => seq > 0);
  for (const head of heads) byState[await anchoringOf(head)].push(head.orgId);
  const lost = (await listLostOrganizations()).map(({ orgId }) => orgId);
  const faults = [
    ...(byState.contradicted.length > 0
      ? [`the database contradicts what was signed: ${namedOrganizations(byState.contradicted)}`]
      : []),
    ...(lost.length > 0
      ? [`the database lacks organizations whose entries were signed: ${namedOrganizations(lost)}`]
      : []),
  ];
  if (faults.length > 0) return finding(about, "fail", faults.join("; "));
  const late = [...byState.behind, ...byState.unsigned];
  if (late.length > 0)
    return finding(about, "warn", `not or no longer signed on this machine: ${namedOrganizations(late)}`);
  return finding(about, "ok", `${heads.length} chains signed`);
}

/** Foreign rows beside the logs: no verdict depends on them, but somebody changed them. */
async function checkStrayRows(): Promise<Finding> {
  const found = groupBy(await listStrayRows(), ({ what }) => what);
  const said = [...found].map(([what, rows]) => `${what}: ${namedOrganizations(rows.map(({ orgId }) => orgId))}`);
  return finding("notes and trees", said.length === 0 ? "ok" : "warn", said.join("; ") || "nothing that is not ours");
}

async function checkAlarms(): Promise<Finding> {
  const alarms = await openAlarms({ kind: "system" });
  if (alarms.length === 0) return finding("alarms", "ok", "none");
  const named = alarms.slice(0, MAX_NAMED).map((a) => `${a.orgId} since ${a.at}`);
  return finding(
    "alarms",
    "fail",
    `${alarms.length === 1 ? "a chain was" : `${alarms.length} chains were`} found broken: ${named.join(", ")}`,
  );
}

async function checkPruning(): Promise<Finding> {
  const { level, detail } = await checkAdminConnection();
  return finding("pruning", level, detail);
}

/** A daily backup, with a night's grace. */
const OLD_BACKUP_HOURS = 36;

/** Age of the newest backup by this installation's command; other backup methods are not visible here. */
async function checkBackup(): Promise<Finding> {
  const last = await lastBackup();
  if (!last) return finding("backup", "warn", "none yet by `trailmark backup`; other ways are not seen here");
  const hours = Math.floor((Date.now() - last.takenAt.getTime()) / HOUR_MS);
  const age = hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
  return finding("backup", hours > OLD_BACKUP_HOURS ? "warn" : "ok", `the last is ${age} old: ${last.file}`);
}

/** Checks the database; if unreachable, reports only that. */
async function checkDatabase(): Promise<Finding[]> {
  try {
    const [row] = await appSql()<{ version: string; name: string }[]>`
      SELECT current_setting('server_version') AS version, current_user AS name`;
    const reached = finding("database", "ok", `PostgreSQL ${row?.version}, as ${row?.name}`);
    const role = await checkRole();
    try {
      const chain = [...(await checkSession()), ...(await checkChain()), await checkAnchors(), await checkAlarms()];
      return [reached, role, ...chain, await checkStrayRows(), await checkPruning(), await checkBackup()];
    } catch (error) {
      const why = messageOf(causeOf(error));
      return [reached, role, finding("migrations", "fail", `the database is not at this version: ${why}`)];
    }
  } catch (error) {
    return [finding("database", "fail", `not reachable: ${messageOf(error) || codeOf(error)}`)];
  } finally {
    await closeDatabase();
  }
}

const MARKS = { ok: "ok   ", warn: "WARN ", fail: "FAIL " };

function checkDataFolder(): Finding {
  const { TRAILMARK_DATA_DIR: dir } = env();
  const unusable = unusableFolder(dir);
  return unusable
    ? finding("data folder", "fail", `${unusable} cannot be read and written by ${userName()}`)
    : finding("data folder", "ok", dir);
}

/** Checks everything that this installation depends on, read only. */
export const doctor: Command = {
  usage: "[--json]",
  summary: "check environment, database, roles, chain, spool, keys and checkpoints; exit code 1 when something fails",
  async run(args) {
    const { values } = readArgs(args, { json: { type: "boolean" } });
    const embedded = await prepareEnvironment();
    try {
      env();
      const findings: Finding[] = [
        finding("release", "ok", `Trailmark ${RELEASE}, Node ${process.versions.node}`),
        finding("environment", "ok", embedded ? "embedded PostgreSQL" : "PostgreSQL of DATABASE_URL"),
        ...unknownVariables().map((detail) => finding("environment", "warn", detail)),
        checkDataFolder(),
        ...(await checkDatabase()),
        checkSpool(),
        checkKey(),
        checkWitnesses(),
      ];
      if (values.json) say(JSON.stringify(findings));
      else for (const { level, about, detail } of findings) say(`${MARKS[level]} ${about.padEnd(18)} ${detail}`);
      return findings.some((f) => f.level === "fail") ? 1 : 0;
    } finally {
      await embedded?.stop();
    }
  },
};
