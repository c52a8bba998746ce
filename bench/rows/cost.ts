import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Bench, type Figure, figuresOf, inParallel } from "@/bench/harness";
import { bodyMaker, createAgent } from "@/bench/http";
import { cpuMs, peakMiB, residentMiB } from "@/bench/processes";
import { answered, signIn } from "@/bench/torture/api";
import { holdsInTime } from "@/bench/until";
import type { World } from "@/bench/world";
import { readPostmaster } from "@/db/embedded/postmaster";
import { createApiKey, createOrg, createUser } from "@/testing/factories";
import { freePort, type Server, startServer, stopServer } from "@/testing/server";

const MILLION = 1_000_000;
const AUDIT_EVENTS = 100;
const DEVICE_EVENTS = 500;
const CONNECTIONS = 8;
/** Up to this many rows stay without a segment. */
const KEPT_BACK_ROWS = 200;
const INDEX_DEADLINE_MS = 300_000;
const IDLE_MS = 5_000;
/** Twice as long as the indexing thread lingers. */
const LONG_IDLE_MS = 60_000;
const GIB = 2 ** 30;

type Spent = { node: number; postgres: number; disk: number; wal: number };

/** CPU time in seconds, database size and WAL in bytes so far. */
async function spent({ owner, embedded }: World, pid: number): Promise<Spent> {
  const postmaster = readPostmaster(embedded.cluster);
  const [row] = await owner<{ disk: string; wal: string }[]>`
    SELECT pg_database_size(current_database()) AS disk, pg_current_wal_lsn() - '0/0'::pg_lsn AS wal`;
  return {
    node: cpuMs(pid) / 1000,
    postgres: postmaster.kind === "ready" ? cpuMs(postmaster.pid) / 1000 : Number.NaN,
    disk: Number(row?.disk),
    wal: Number(row?.wal),
  };
}

const untilIndexed = (world: World): Promise<boolean> =>
  holdsInTime(async () => (await world.backlog()) < KEPT_BACK_ROWS, { ms: INDEX_DEADLINE_MS, pauseMs: 500 });

type Sending = { method: string; path: string; token: string; body: () => string };

async function send({ base }: Server, { method, path, token, body }: Sending, requests: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  await inParallel(CONNECTIONS, Array.from({ length: requests }), async () => {
    const answer = await fetch(`${base}/api/v1${path}`, { method, headers, body: body() });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  });
}

function auditBody({ random }: World): () => string {
  return () =>
    JSON.stringify({
      events: Array.from({ length: AUDIT_EVENTS }, () => ({
        actorType: "system",
        actorId: `service-${random.int(1, 40)}`,
        action: random.pick(["device.update", "policy.assign", "script.execute", "data.access"]),
        resourceType: "device",
        resourceId: crypto.randomUUID(),
        resourceName: `WS-${random.int(1, 4000)}`,
        details: { before: { site: `Site ${random.int(1, 90)}` }, after: { site: `Site ${random.int(1, 90)}` } },
        ipAddress: `10.0.${random.int(0, 255)}.${random.int(1, 254)}`,
        result: "success",
      })),
    });
}

type Cost = { kind: string; events: number; before: Spent; after: Spent; targets: Spent };

/** Seconds of processor time and GiB for a million events. */
const AUDIT_TARGETS: Spent = { node: 105, postgres: 70, disk: 0.8, wal: 1.1 };
const DEVICE_TARGETS: Spent = { node: 35, postgres: 70, disk: 0.62, wal: 1.78 };

const costFigures = ({ kind, events, before, after, targets }: Cost): Figure[] => {
  const [seconds, gib] = [figuresOf("23", "s"), figuresOf("23", "GiB")];
  const cost = (spent: keyof Spent, of = 1) => ({
    value: ((after[spent] - before[spent]) * MILLION) / events / of,
    detail: `${events} sent`,
  });
  return [
    seconds(`processor of Node for a million ${kind}`, cost("node"), { max: targets.node }),
    seconds(`processor of PostgreSQL for a million ${kind}`, cost("postgres"), { max: targets.postgres }),
    gib(`disk for a million ${kind}`, cost("disk", GIB), { max: targets.disk }),
    gib(`WAL for a million ${kind}`, cost("wal", GIB), { max: targets.wal }),
  ];
};

/** Rows 22 and 23: cost of the built server and its PostgreSQL, with background work, end to end over HTTP. */
async function run(world: World): Promise<Figure[]> {
  const events = world.size.full ? 400_000 : 50_000;
  const { id: orgId } = await createOrg({ partnerId: world.partnerId });
  const key = await createApiKey({ orgId, permissions: ["audit:write"] });
  const admin = await createUser({ orgId, role: "org_admin" });
  const agent = await createAgent(orgId);
  const { appUrl, adminUrl } = world.embedded;
  const server = await startServer({
    ...{ dataDir: join(world.dir, "cost"), port: await freePort() },
    env: { DATABASE_URL: appUrl, AUDIT_ADMIN_DATABASE_URL: adminUrl },
  });
  const pid = server.child.pid ?? 0;
  const memory = (name: string, value: number, max: number) =>
    figuresOf("22", "MiB")(`memory of the server, ${name}`, { value }, { max });
  try {
    await untilIndexed(world);
    await sleep(IDLE_MS);
    const idle = residentMiB(pid);
    const before = await spent(world, pid);
    const audit = { path: "/audit-logs/events", method: "POST", token: key.key, body: auditBody(world) };
    const busy = await peakMiB(pid, () => send(server, audit, events / AUDIT_EVENTS));
    await untilIndexed(world);
    const between = await spent(world, pid);
    const path = `/agents/${agent.id}/eventlogs`;
    const device = { path, method: "PUT", token: agent.token, body: bodyMaker(world, DEVICE_EVENTS) };
    const busyDevices = await peakMiB(pid, () => send(server, device, events / DEVICE_EVENTS));
    const after = await spent(world, pid);
    await sleep(world.size.full ? LONG_IDLE_MS : IDLE_MS);
    const idleAfter = residentMiB(pid);
    const token = await signIn(server, admin);
    const read = async (path: string) => {
      const answer = await answered(server, path, { token });
      for await (const _ of answer.body ?? []);
    };
    const exporting = await peakMiB(pid, () => read(`/audit-logs/evidence?orgId=${orgId}`));
    const verifying = await peakMiB(pid, () => read(`/audit-logs/integrity?orgId=${orgId}`));
    return [
      memory("idle", idle, 160),
      memory("idle after these events", idleAfter, 190),
      memory(`while ${events} audit events come as fast as it takes them`, busy, 300),
      memory(`while ${events} device events do`, busyDevices, 300),
      memory(`during an evidence bundle of ${events} entries`, exporting, 300),
      memory("during the verification of them", verifying, 300),
      ...costFigures({ kind: "audit events", events, before, after: between, targets: AUDIT_TARGETS }),
      ...costFigures({ kind: "device events", events, before: between, after, targets: DEVICE_TARGETS }),
    ];
  } finally {
    await stopServer(server);
  }
}

export const costBench: Bench = { rows: ["22", "23"], title: "cost and memory", run };
