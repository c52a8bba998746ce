import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { codeOf } from "@/db/thrown";
import { type Binaries, initdbOf } from "./binaries";
import { createFolder } from "./create-folder";
import { canEnter, type Runner, runProgram } from "./runner";
import { syncFolder } from "./sync-folder";

/** Facts beside the cluster, in a file of mode 0600. */
const secretsFile = z.object({ owner: z.string(), app: z.string(), admin: z.string(), cluster: z.string() });
export type Secrets = z.output<typeof secretsFile>;

/**
 * Location of a cluster if the runner cannot enter the data folder (a checkout below /root, mode 700). Not the state
 * folder of the systemd units, which systemd gives to another user.
 */
const SYSTEM_HOME = "/var/lib/trailmark-postgres";

const SETTINGS = `
# Trailmark's defaults for a small server; edit freely, they are written once.
shared_buffers = 256MB
max_connections = 100
max_wal_size = 2GB
random_page_cost = 1.1
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
log_min_messages = warning
log_checkpoints = off
# After a kill: one call for the whole file system instead of an fsync of every file
${process.platform === "linux" ? "recovery_init_sync_method = syncfs" : ""}
`;

/**
 * Creates the data folder and a folder that the runner can enter: the data folder itself (others may traverse but not
 * list it), or one below /var/lib if a parent is closed to the runner.
 */
export function prepareHome(dataDir: string, runner: Runner): string {
  createFolder(dataDir, 0o711);
  if (runner.uid === undefined) return dataDir;
  if (canEnter(dirname(dataDir), runner)) {
    if (!canEnter(dataDir, runner)) chmodSync(dataDir, 0o711);
    return dataDir;
  }
  createFolder(SYSTEM_HOME, 0o755);
  return SYSTEM_HOME;
}

const secretsPath = (dataDir: string): string => join(dataDir, "postgres.json");

/** True if a data folder has an embedded cluster, complete or not. */
export const hasEmbedded = (dataDir: string): boolean => existsSync(secretsPath(dataDir));

/**
 * Passwords and location of the cluster; created once, even if two processes start together (link refuses to replace).
 */
export function loadSecrets(dataDir: string, home: string): Secrets {
  const file = secretsPath(dataDir);
  if (!existsSync(file)) {
    const password = () => randomBytes(24).toString("base64url");
    const cluster = home === dataDir ? "postgres" : join(home, `cluster-${randomBytes(6).toString("hex")}`);
    const secrets: Secrets = {
      owner: password(),
      app: password(),
      admin: password(),
      cluster,
    };
    const draft = `${file}.${randomBytes(4).toString("hex")}`;
    writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
    try {
      linkSync(draft, file);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }
  return secretsFile.parse(JSON.parse(readFileSync(file, "utf8")));
}

type Installation = { binaries: Binaries; runner: Runner; durable: boolean };

/**
 * Runs initdb in a temporary folder, renamed when complete, so that an interrupted or concurrent start leaves no
 * partial cluster.
 */
async function initialise(
  cluster: string,
  secrets: Secrets,
  { binaries, runner, durable }: Installation,
): Promise<void> {
  const draft = `${cluster}.init-${randomBytes(4).toString("hex")}`;
  const passwordFile = `${draft}.pw`;
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, `${secrets.owner}\n`, { mode: 0o600 });
  if (runner.uid !== undefined && runner.gid !== undefined)
    for (const path of [draft, passwordFile]) chownSync(path, runner.uid, runner.gid);
  const args = [
    "-D",
    draft,
    "-U",
    "trailmark_owner",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
  ];
  args.push("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", ...(durable ? [] : ["--no-sync"]));
  try {
    const { code, errors } = await runProgram(initdbOf(binaries), args, { ...runner, detached: true });
    if (code !== 0) throw new Error(`initdb failed (${code}):\n${errors}`);
    // initdb has synced its files; later changes must be synced before the first entries.
    appendFileSync(join(draft, "postgresql.conf"), SETTINGS, { flush: durable });
    renameSync(draft, cluster);
    if (durable) syncFolder(dirname(cluster));
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(join(cluster, "PG_VERSION"))) throw error; // Otherwise another process created it first.
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/**
 * The cluster's folder, created with initdb if missing.
 * @throws Error when it belongs to another major version of PostgreSQL.
 */
export async function prepareCluster(dataDir: string, secrets: Secrets, installation: Installation): Promise<string> {
  const inside = secrets.cluster === "postgres";
  const cluster = inside ? join(dataDir, "postgres") : secrets.cluster;
  if (!existsSync(join(cluster, "PG_VERSION"))) await initialise(cluster, secrets, installation);
  if (!inside && !existsSync(join(dataDir, "postgres"))) symlinkSync(cluster, join(dataDir, "postgres"));
  const found = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
  const ours = installation.binaries.version.split(".")[0];
  if (found !== ours)
    throw new Error(
      `${cluster} was made by PostgreSQL ${found}, the packaged one is ${ours}: dump it with ${found} and load it into a new data folder`,
    );
  return cluster;
}
