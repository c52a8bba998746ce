import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { until } from "@/bench/until";
import { endServer, killPostmaster, killServer, type Server, startServer } from "@/testing/server";
import { PORTS, SECRETS, serverEnvironment, superUrl } from "./layout";
import { isRoot, NOBODY_UID, type Part, part } from "./part";
import { program } from "./programs";
import { haproxySettings, patroniSettings, poolerSettings, poolerUsers } from "./settings";

/** A lost primary returns as a copy of the other node, which takes minutes on a busy machine. */
const HEALTHY_MS = 600_000;

type Member = { name: string; role: string; state: string };

/** Patroni's list of its members; throws while none answers. */
async function members(): Promise<Member[]> {
  for (const { rest } of PORTS.nodes) {
    const answer = await fetch(`http://127.0.0.1:${rest}/cluster`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => null,
    );
    if (answer?.ok) return ((await answer.json()) as { members: Member[] }).members;
  }
  throw new Error("no Patroni answers");
}

/** A part that does not answer is one that is not there yet. */
const untilThere = (what: string, isThere: () => Promise<boolean>, ms?: number): Promise<void> =>
  until(what, () => isThere().catch(() => false), { pauseMs: 100, ...(ms && { ms }) });

const RUNNING = new Set(["running", "streaming"]);
const has = (all: Member[], role: string) => all.find((m) => m.role === role && RUNNING.has(m.state));

async function createDatabase(): Promise<void> {
  const run = async (database: string, ...statements: string[]) => {
    const sql = postgres(superUrl(PORTS.primary, database), { max: 1, onnotice: () => {} });
    for (const statement of statements) await sql.unsafe(statement);
    await sql.end({ timeout: 5 });
  };
  await run(
    "postgres",
    `CREATE ROLE trailmark_owner LOGIN CREATEROLE PASSWORD '${SECRETS.owner}'`,
    "CREATE DATABASE trailmark OWNER trailmark_owner",
  );
}

/** The parts by the role they have when lost, and the three server processes. */
export class Cluster {
  readonly folder = mkdtempSync(join(tmpdir(), "trailmark-cluster-"));
  readonly etcd: Part;
  readonly proxy: Part;
  readonly pooler: Part;
  readonly nodes: Part[];
  readonly servers: Server[] = [];

  constructor() {
    const { folder } = this;
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      if (isRoot) chownSync(join(folder, name), NOBODY_UID, NOBODY_UID);
      return join(folder, name);
    };
    chmodSync(folder, 0o700);
    if (isRoot) chownSync(folder, NOBODY_UID, NOBODY_UID);
    const [client, peer] = [`http://127.0.0.1:${PORTS.etcd}`, `http://127.0.0.1:${PORTS.etcdPeer}`];
    const etcdArgs = ["--name=e", `--data-dir=${join(folder, "etcd")}`, "--log-level=error"];
    const urls = { "listen-client-urls": client, "advertise-client-urls": client, "listen-peer-urls": peer };
    const peers = { "initial-advertise-peer-urls": peer, "initial-cluster": `e=${peer}` };
    const flags = Object.entries({ ...urls, ...peers }).map(([name, value]) => `--${name}=${value}`);
    const here = (name: string, of: Parameters<typeof program>[0], args: string[]) =>
      part({ name, file: program(of), args, folder });
    this.etcd = here("etcd", "etcd", [...etcdArgs, ...flags]);
    this.proxy = here("haproxy", "haproxy", ["-db", "-f", file("haproxy.cfg", haproxySettings())]);
    file("pooler-users", poolerUsers());
    this.pooler = here("pgbouncer", "pgbouncer", [file("pgbouncer.ini", poolerSettings(folder))]);
    this.nodes = ([0, 1] as const).map((at) => this.#node(at, here, file));
  }

  /** A machine with PostgreSQL and its Patroni, lost together. */
  #node(
    at: 0 | 1,
    here: (name: string, of: "patroni", args: string[]) => Part,
    file: (name: string, text: string) => string,
  ): Part {
    const { name } = PORTS.nodes[at];
    const patroni = here(name, "patroni", [file(`patroni-${name}.yml`, patroniSettings(this.folder, at))]);
    const kill = async () => {
      await patroni.kill();
      await killPostmaster(join(this.folder, `data-${name}`));
    };
    return { ...patroni, kill };
  }

  /** Node with this role; waits until both roles are filled and the replica is synchronous. */
  async nodeAs(role: "leader" | "sync_standby"): Promise<Part> {
    let found: string | undefined;
    await untilThere(
      "a primary with a synchronous replica",
      async () => {
        const all = await members();
        found = has(all, role)?.name;
        return has(all, "leader") !== undefined && has(all, "sync_standby") !== undefined;
      },
      HEALTHY_MS,
    );
    const node = this.nodes.find(({ name }) => name === found);
    if (!node) throw new Error(`no node is ${role}`);
    return node;
  }

  async start(say: (line: string) => void): Promise<void> {
    say("etcd, Patroni with two PostgreSQL");
    this.etcd.start();
    await untilThere("etcd", async () => (await fetch(`http://127.0.0.1:${PORTS.etcd}/health`)).ok);
    this.nodes[0]?.start();
    await untilThere("a primary", async () => has(await members(), "leader") !== undefined);
    this.nodes[1]?.start();
    await this.nodeAs("leader");
    say("haproxy, pgbouncer");
    for (const each of [this.proxy, this.pooler]) each.start();
    await untilThere("the database through the proxy", async () => createDatabase().then(() => true));
    say("three server processes");
    const key = join(this.folder, "signing-key.pem");
    execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", key], { stdio: "ignore" });
    await this.startServer(0);
    await Promise.all([this.startServer(1), this.startServer(2)]);
    await untilThere("the proxy", async () => (await fetch(`http://127.0.0.1:${PORTS.http}/healthz`)).ok);
  }

  async startServer(at: 0 | 1 | 2): Promise<void> {
    const dataDir = join(this.folder, `server-${at}`);
    mkdirSync(dataDir, { recursive: true });
    this.servers[at] = await startServer({
      dataDir,
      port: PORTS.servers[at],
      env: serverEnvironment(join(this.folder, "signing-key.pem")),
      logFile: join(this.folder, `server-${at}.log`),
    });
  }

  async killServer(at: 0 | 1 | 2): Promise<void> {
    const server = this.servers[at];
    if (server) await killServer(server);
  }

  get parts(): Part[] {
    return [this.pooler, this.proxy, ...this.nodes, this.etcd];
  }

  /** @param keepLogs leaves the folder, with each part's output, for a later analysis. */
  async stop({ keepLogs }: { keepLogs: boolean }): Promise<void> {
    await Promise.all(this.servers.map(endServer));
    for (const each of this.parts) await each.stop();
    for (const { name } of PORTS.nodes) await killPostmaster(join(this.folder, `data-${name}`));
    await sleep(200);
    if (keepLogs) process.stdout.write(`what the parts said is in ${this.folder}\n`);
    else rmSync(this.folder, { recursive: true, force: true });
  }
}
