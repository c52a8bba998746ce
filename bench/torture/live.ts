import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectAgent } from "@/testing/live-agent";
import { type Server, stopServer } from "@/testing/server";
import { ask, createEnrollmentKey, enroll, prepare } from "./api";
import { answersAt, withFault } from "./broken";
import { withOwnServer } from "./folder";
import { simulateAgents, startAgent } from "./product";
import { type Line, type Outcome, QUICK_TRIES } from "./types";

/**
 * Live queries over the wire: the built agent as a program, enrolled by the one-line command, then stopped, frozen and
 * replaced by one that sends garbage; many simulated agents with queries in flight.
 */

const FIRST_ANSWER_MS = 2_000;
/** Time to detect an agent's arrival or departure on a busy machine. */
const WAIT_MS = 30_000;
const SIMULATED = 200;
/** Requests a second of all simulated agents; a quick run has a share of the machine alone. */
const SHIPPED = { full: 50, quick: 10 };
/** Upper limit: the simulation stops after the last query. */
const SIMULATION_SECONDS = 3_600;
/** A frozen agent takes a query's full timeout, so only full runs test it. */
const FULL_ROUNDS = 50;

type Api = { base: string; token: string };
type List<T> = { data: T[] };
type Device = { id: string; hostname: string; agentId: string };
type Record = { message: string; recordId: number };
type Asked<Body = object> = { status: number; body: Body & { code?: string }; ms: number };

async function call<Body = object>(api: Api, path: string): Promise<Asked<Body>> {
  const started = performance.now();
  const response = await ask(api, path, { token: api.token });
  return { status: response.status, body: await response.json(), ms: performance.now() - started };
}

type Waiting = { timeoutMs: number; pauseMs: number };
const WAITING: Waiting = { timeoutMs: WAIT_MS, pauseMs: 20 };

/** Asks until the agent is connected, or until the answer is this one; the answer that came, or the last refusal. */
async function untilAnswered<Body = object>(
  ask: () => Promise<Asked<Body>>,
  { timeoutMs, pauseMs } = WAITING,
  isAwaited = ({ status }: Asked<Body>) => status !== 409,
): Promise<Asked<Body>> {
  for (const deadline = Date.now() + timeoutMs; ; await sleep(pauseMs)) {
    const asked = await ask();
    if (isAwaited(asked) || Date.now() > deadline) return asked;
  }
}

/** The stream's end takes a moment to propagate; until then a query is a 502. */
const untilOffline = (ask: () => Promise<Asked>): Promise<Asked> =>
  untilAnswered(ask, WAITING, ({ status }) => status === 409);

type Checks = { tried: number; faults: string[] };
/** The place for faults, how often something is asked that other work can keep waiting, and the requests of agents. */
type Checking = { tally: Checks; tries: number; rate: number };

function check(tally: Checks, what: string, ok: boolean): void {
  tally.tried += 1;
  if (!ok) tally.faults.push(what);
}

const live = (deviceId: string, rest = "") => `/system-tools/devices/${deviceId}/eventlogs${rest}`;
const isCode = (asked: Asked, status: number, code: string) => asked.status === status && asked.body.code === code;

type Reference = { key: string; dir: string; isFull: boolean };

/** The reference agent: real lines within two seconds, then stopped, and in a full run frozen. */
async function referenceAgent(api: Api, tally: Checks, { key, dir, isFull }: Reference): Promise<string> {
  const start = () => startAgent(api, key, { "state-dir": dir });
  const started = performance.now();
  let agent = start();
  try {
    let deviceId = "";
    for (const deadline = Date.now() + WAIT_MS; !deviceId && Date.now() < deadline; await sleep(20)) {
      const { body } = await call<List<Device>>(api, "/devices?limit=100");
      const found = body.data.find((d) => d.hostname !== "TORTURE-1");
      deviceId = found?.id ?? "";
    }
    const logs = await untilAnswered(() => call<List<{ name: string }>>(api, live(deviceId)));
    const upMs = performance.now() - started;
    const [log] = logs.body.data ?? [];
    const ask = () => call<List<Record>>(api, live(deviceId, `/${log?.name}/events?limit=20`));
    let events = await ask();
    // A quick run shares the machine, which can delay any query.
    for (let n = 1; !isFull && n < QUICK_TRIES && events.ms >= FIRST_ANSWER_MS; n++) events = await ask();
    const [entry] = events.body.data ?? [];
    check(tally, `no real log line: ${logs.status} ${events.status}`, Boolean(entry?.message));
    check(tally, `a live query took ${Math.round(events.ms)} ms`, events.ms < FIRST_ANSWER_MS);
    const one = await call(api, live(deviceId, `/${log?.name}/events/${entry?.recordId}`));
    check(tally, `one record: ${one.status}`, one.status === 200);
    await stopServer(agent);
    const offline = await untilOffline(() => call(api, live(deviceId)));
    check(tally, `a stopped agent: ${offline.status} ${offline.body.code}`, isCode(offline, 409, "device_offline"));
    let frozenMs = "not tried";
    if (isFull) {
      agent = start();
      await untilAnswered(() => call(api, live(deviceId)));
      agent.child.kill("SIGSTOP");
      const frozen = await call(api, live(deviceId));
      frozenMs = `${Math.round(frozen.ms)} ms`;
      check(tally, `a frozen agent: ${frozen.status} ${frozen.body.code}`, isCode(frozen, 504, "agent_timeout"));
      agent.child.kill("SIGCONT");
    }
    return `enrolled and answering ${Math.round(upMs)} ms after its start, ${log?.name} in ${Math.round(events.ms)} ms, frozen ${frozenMs}`;
  } finally {
    agent.child.kill("SIGKILL");
    await agent.ended;
  }
}

/** An agent with unreadable answers, and one that disconnects during a query. */
async function badAgents(api: Api, key: string, { tally, tries }: Omit<Checking, "rate">): Promise<void> {
  const agent = await enroll(api, key, "GARBAGE-1");
  for (const garbage of [{ ok: true, data: "x" }, { ok: true, data: { logs: [{ name: 7 }] } }, { ok: true }]) {
    const fake = await connectAgent(`${api.base}/api/v1`, agent, () => garbage);
    const asked = await untilAnswered(() => call(api, live(agent.deviceId)));
    check(tally, `garbage: ${asked.status} ${asked.body.code}`, isCode(asked, 502, "agent_bad_response"));
    fake.leave();
    await fake.ended;
  }
  const leave = async () => {
    const leaving = await connectAgent(`${api.base}/api/v1`, agent, () => void setTimeout(() => leaving.leave(), 20));
    return untilAnswered(() => call(api, live(agent.deviceId)));
  };
  let asked = await leave();
  for (let n = 1; n < tries && asked.ms >= FIRST_ANSWER_MS; n++) asked = await leave();
  check(
    tally,
    `left: ${asked.status} ${asked.body.code}`,
    isCode(asked, 502, "agent_disconnected") && asked.ms < FIRST_ANSWER_MS,
  );
}

/** The control: faults of a server, by the bad agents' checks, that makes up an answer whatever the agent does. */
async function believing(server: Server, { token }: Api, key: string): Promise<number> {
  const tally: Checks = { tried: 0, faults: [] };
  await withFault(answersAt(/\/system-tools\/devices\//, 200, { data: [] }))(server, ({ base }) =>
    badAgents({ base, token }, key, { tally, tries: 1 }),
  );
  return tally.faults.length;
}

/** A query to each simulated agent at once, while they ship. */
async function manyAgents(api: Api, key: string, { tally, tries, rate }: Checking): Promise<string> {
  const simulation = simulateAgents(api, key, { devices: SIMULATED, rate, seconds: SIMULATION_SECONDS });
  try {
    await simulation.listening;
    const pages = await Promise.all(
      [1, 2, 3].map((page) => call<List<Device>>(api, `/devices?limit=100&page=${page}`)),
    );
    const devices = pages.flatMap(({ body }) => body.data).filter(({ agentId }) => agentId?.startsWith("sim-"));
    // Retrying every 20 ms would delay the streams being opened.
    const crowd = { ...WAITING, pauseMs: WAITING.pauseMs * SIMULATED };
    const ask = ({ id }: Device) =>
      untilAnswered(() => call<List<Record>>(api, live(id, "/Security/events?limit=50")), crowd);
    const asked = await Promise.all(devices.map(ask));
    for (let n = 1; n < tries; n++)
      await Promise.all(
        asked.map(async ({ status }, at) => {
          const device = devices[at];
          if ([409, 503, 504].includes(status) && device) asked[at] = await ask(device);
        }),
      );
    check(tally, `${devices.length} devices are simulated`, devices.length === SIMULATED);
    for (const { status, body } of asked)
      check(tally, `simulated: ${status} ${body.code ?? ""}`, status === 200 && body.data.length === 50);
    const sorted = asked.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    return `${devices.length} queries at once p50 ${at(0.5)} ms, max ${at(1)} ms`;
  } finally {
    await stopServer(simulation);
  }
}

const run = (rounds: number): Promise<Outcome> =>
  withOwnServer(async (server) => {
    const credentials = await prepare(server);
    const api = { base: server.base, token: credentials.accessToken };
    const key = await createEnrollmentKey(server, credentials);
    const tally: Checks = { tried: 0, faults: [] };
    const agent = { key, dir: join(server.dataDir, "agent"), isFull: rounds >= FULL_ROUNDS };
    const reference = await referenceAgent(api, tally, agent);
    const checking = agent.isFull
      ? { tally, tries: 1, rate: SHIPPED.full }
      : { tally, tries: QUICK_TRIES, rate: SHIPPED.quick };
    await badAgents(api, key, checking);
    const believed = await believing(server, api, key);
    check(tally, "the control, which answers for any agent, was not found out", believed > 0);
    const many = await manyAgents(api, key, checking);
    const control = `control, a server that answers for any agent: found out ${believed} times`;
    const detail = [reference, many, control, ...new Set(tally.faults)].join("; ");
    return { tried: tally.tried, failed: tally.faults.length, detail };
  });

export const liveLine: Line = {
  id: "L1",
  title: "live queries over the wire: reference agent, offline, garbage, 200 agents",
  run: ({ rounds }) => run(rounds),
};
