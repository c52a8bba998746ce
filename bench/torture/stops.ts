import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { connectAgent, type FakeAgent } from "@/testing/live-agent";
import { clusterOf, isReady, type Server, signalPostmaster, stopServer } from "@/testing/server";
import { answersEarly, waitsForDatabase, withFault } from "./broken";
import { compare } from "./compare";
import { startShared, withServer } from "./folder";
import { type Acknowledged, type Credentials, nothingYet, prepare, startLoad } from "./load";
import { countLate, type Line, type LineInput, type Outcome, QUICK_TRIES } from "./types";

const EXIT_MS = 10_000;
const WRITERS = 6;
const AGENTS = 20;
const BURST = 400;

/** Agents with one open command stream each. */
async function openStreams(server: Server, { accessToken, orgId }: Credentials): Promise<FakeAgent[]> {
  const post = async <T>(path: string, body: object, token?: string): Promise<T> => {
    const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    const answer = await fetch(`${server.base}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  };
  const { key } = await post<{ key: string }>("/enrollment-keys", { orgId }, accessToken);
  return Promise.all(
    Array.from({ length: AGENTS }, async (_, i) => {
      const body = { enrollmentKey: key, hostname: `STREAM-${i}`, os: "linux", agentId: randomUUID() };
      const agent = await post<{ agentId: string; token: string }>("/agents/enroll", body);
      return connectAgent(`${server.base}/api/v1`, agent, () => undefined);
    }),
  );
}

/** A large batch, answered while its rows still wait for the database. */
/** @returns the answer's status, 0 without one */
async function burst(server: Server, { key }: Credentials, acked: Acknowledged): Promise<number> {
  const ids = Array.from({ length: BURST }, () => randomUUID());
  const rest = { actorType: "system", actorId: "torture", action: "device.update", resourceType: "device" };
  const events = ids.map((id) => ({ id, ...rest, details: { id }, result: "success" }));
  const answer = await fetch(`${server.base}/api/v1/audit-logs/events`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
    body: JSON.stringify({ events }),
  }).catch(() => null);
  if (answer?.ok) for (const id of ids) acked.events.add(id);
  return answer?.status ?? 0;
}

/** SIGTERM. @returns time to exit, and exit code */
async function terminate({ child }: Server): Promise<{ ms: number; code: number | null }> {
  const started = Date.now();
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const code = await Promise.race([ended, sleep(EXIT_MS * 2).then(() => -1)]);
  if (code === -1) child.kill("SIGKILL");
  return { ms: Date.now() - started, code };
}

/** Sends to the server directly, or through a faulty one. */
type Front = <T>(server: Server, fn: (server: Server) => Promise<T>) => Promise<T>;
const direct: Front = (server, fn) => fn(server);

async function stopUnder({ rounds, random }: LineInput, front: Front): Promise<Outcome & { missing: number }> {
  const acked = nothingYet();
  let server = await startShared();
  const credentials = await prepare(server.base);
  let slowest = 0;
  const faults: string[] = [];
  await front(server, async ({ base }) => {
    for (let round = 0; round < rounds; round++) {
      const { accessToken } = await prepare(server.base);
      const streams = await openStreams(server, { ...credentials, accessToken });
      const stop = startLoad(base, { credentials, acked }, WRITERS);
      await sleep(300 + random() * 500);
      void burst({ ...server, base }, credentials, acked);
      await sleep(random() * 60);
      const { ms, code } = await terminate(server);
      await stop();
      slowest = Math.max(slowest, ms);
      if (ms > EXIT_MS || code !== 0) faults.push(`round ${round}: ended with ${code} after ${ms} ms`);
      const open = await Promise.race([
        Promise.all(streams.map((s) => s.ended)).then(() => false),
        sleep(EXIT_MS).then(() => true),
      ]);
      if (open) faults.push(`round ${round}: an agent's stream did not end`);
      server = await startShared();
    }
  });
  const found = await compare(server, credentials, acked);
  await stopServer(server);
  const lost = found.missing + found.duplicates + found.unsealed + found.breaks;
  const detail = `${rounds} stops with ${AGENTS} streams, at most ${slowest} ms, missing ${found.missing}, duplicates ${found.duplicates}, unsealed ${found.unsealed}, breaks ${found.breaks}`;
  return {
    tried: found.acknowledged,
    missing: found.missing,
    failed: found.acknowledged === 0 ? 1 : lost + faults.length,
    detail: [detail, ...faults].join("; "),
  };
}

/** K5: SIGTERM with open agent streams and unflushed events: exits within 10 s, nothing lost. */
export const stopLine: Line = {
  id: "K5",
  title: "SIGTERM with open agent streams and unflushed events",
  run: (input) => stopUnder(input, direct),
};

/** The control: a server that drops its memory at SIGTERM must be caught. */
export const droppedQueueLine: Line = {
  id: "K5-control",
  title: "control: a server that drops its queue must lose events",
  run: async (input) => {
    const { tried, missing, detail } = await stopUnder(input, (server, fn) => withFault(server, answersEarly, fn));
    return { tried, failed: missing > 0 ? 0 : 1, detail };
  },
};

/** Signals all processes of the embedded PostgreSQL: stopped ones neither answer nor close. */
const signalPostgres = (dataDir: string, signal: NodeJS.Signals) => signalPostmaster(clusterOf(dataDir).folder, signal);

const FREEZE_MS = 10_000;
const QUICK_FREEZE_MS = 2_000;
/** Maximum time of a recording request while the database is frozen: the wait for a commit, and the disk. */
const RECORD_MS = 2_000;
const RECOVERY_MS = 5_000;

/** refused: told to retry, because neither database nor disk answered in time; wrong: any other answer. */
type Freeze = { batches: number[]; refused: number; wrong: number; backMs: number };

/** Batch durations (ms) while PostgreSQL stood still, and the time until the server was ready again. */
async function freeze(server: Server, forMs: number, send: () => Promise<number>): Promise<Freeze> {
  const batches: number[] = [];
  let [refused, wrong] = [0, 0];
  await signalPostgres(server.dataDir, "SIGSTOP");
  const until = Date.now() + forMs;
  try {
    while (Date.now() < until) {
      const started = performance.now();
      const status = await send();
      if (status === 503) refused++;
      else if (status < 200 || status > 299) wrong++;
      batches.push(performance.now() - started);
      await sleep(100);
    }
  } finally {
    await signalPostgres(server.dataDir, "SIGCONT");
  }
  const thawed = Date.now();
  while (!(await isReady(server.base)) && Date.now() - thawed < 30_000) await sleep(25);
  return { batches, refused, wrong, backMs: Date.now() - thawed };
}

const tooSlow = ({ batches, refused, backMs }: Freeze): string[] => [
  ...(refused > 0 ? [`${refused} batches refused`] : []),
  ...batches.filter((ms) => ms > RECORD_MS).map((ms) => `a batch took ${Math.round(ms)} ms`),
  ...(backMs > RECOVERY_MS ? [`ready only after ${backMs} ms`] : []),
];

async function freezeUnder({ rounds }: LineInput, front: Front): Promise<Outcome & { slowest: number }> {
  return withServer(async (server) => {
    const credentials = await prepare(server.base);
    const acked = nothingYet();
    const send = () => front(server, (reached) => burst(reached, credentials, acked));
    const isFull = rounds > 1;
    const found: Freeze[] = [];
    const late = () => countLate(found.map(tooSlow), isFull);
    while (found.length < rounds || (!isFull && late() > 0 && found.length < QUICK_TRIES)) {
      await burst(server, credentials, acked);
      found.push(await freeze(server, isFull ? FREEZE_MS : QUICK_FREEZE_MS, send));
    }
    const kept = await compare(server, credentials, acked);
    const lost = kept.missing + kept.duplicates + kept.unsealed + kept.breaks;
    const batches = found.flatMap((one) => one.batches);
    const wrong = found.reduce((n, one) => n + one.wrong, 0);
    const slowest = Math.max(...batches);
    const back = Math.max(...found.map((one) => one.backMs));
    const detail = `${batches.length} batches while frozen, at most ${Math.round(slowest)} ms, ready ${back} ms after the thaw, missing ${kept.missing}, duplicates ${kept.duplicates}`;
    return {
      tried: kept.acknowledged,
      failed: batches.length === 0 ? 1 : lost + wrong + late(),
      slowest,
      detail: [
        detail,
        ...(wrong ? [`${wrong} batches answered wrongly`] : []),
        ...new Set(found.flatMap(tooSlow)),
      ].join("; "),
    };
  });
}

/** K4: PostgreSQL frozen; recording is answered from the spool, and all is in the database afterwards. */
export const frozenLine: Line = {
  id: "K4",
  title: "frozen PostgreSQL: recording continues and recovers",
  run: (input) => freezeUnder(input, direct),
};

/** The control: a recorder that waits for the database must be found slow. */
export const waitingRecorderLine: Line = {
  id: "K4-control",
  title: "control: a recorder that waits for the database must be detected",
  run: async (input) => {
    const wait: Front = (server, fn) => withFault(server, waitsForDatabase, fn);
    const { tried, slowest, detail } = await freezeUnder({ ...input, rounds: 1 }, wait);
    return { tried, failed: slowest > RECORD_MS ? 0 : 1, detail };
  },
};
