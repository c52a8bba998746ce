import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectAgent } from "@/testing/live-agent";
import { stopServer } from "@/testing/server";
import { ask, createEnrollmentKey, enroll, prepare } from "./api";
import { answersAt, behind } from "./broken";
import { withOwnServer } from "./folder";
import { Found, type Input, type Line, retryLate } from "./line";
import { simulateAgents, startAgent } from "./product";

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

/** Asks until the agent is connected, or until the answer is this one; the answer that came, or the last refusal. */
async function untilAnswered<Body = object>(
  ask: () => Promise<Asked<Body>>,
  { pauseMs = 20, isAwaited = ({ status }: Asked<Body>) => status !== 409 } = {},
): Promise<Asked<Body>> {
  let asked = await ask();
  for (const deadline = Date.now() + WAIT_MS; !isAwaited(asked) && Date.now() < deadline; asked = await ask())
    await sleep(pauseMs);
  return asked;
}

const live = (deviceId: string, rest = "") => `/system-tools/devices/${deviceId}/eventlogs${rest}`;
const said = ({ status, body }: Asked) => `${status} ${body.code}`;

type Target = { api: Api; key: string; found: Found; input: Pick<Input, "isFull"> };

async function enrolledDevice(api: Api): Promise<Device | undefined> {
  const ask = () => call<List<Device>>(api, "/devices?limit=100");
  const isOther = ({ hostname }: Device) => hostname !== "TORTURE-1";
  const { body } = await untilAnswered(ask, { isAwaited: ({ body }) => body.data.some(isOther) });
  return body.data.find(isOther);
}

/** The reference agent: real lines within two seconds, then stopped, and in a full run frozen. */
async function referenceAgent({ api, key, found, input }: Target, dir: string): Promise<void> {
  const start = () => startAgent(api, key, { "state-dir": dir });
  const started = performance.now();
  let agent = start();
  try {
    const deviceId = (await enrolledDevice(api))?.id ?? "";
    const list = () => call<List<{ name: string }>>(api, live(deviceId));
    const logs = await untilAnswered(list);
    const upMs = performance.now() - started;
    const [log] = logs.body.data ?? [];
    const query = () => call<List<Record>>(api, live(deviceId, `/${log?.name}/events?limit=20`));
    const events = await retryLate(input, query, ({ ms }) => ms >= FIRST_ANSWER_MS);
    const [entry] = events.body.data ?? [];
    found.check(Boolean(entry?.message), `no real log line: ${logs.status} ${events.status}`);
    found.check(events.ms < FIRST_ANSWER_MS, `a live query took ${Math.round(events.ms)} ms`);
    const one = await call(api, live(deviceId, `/${log?.name}/events/${entry?.recordId}`));
    found.check(one.status === 200, `one record: ${one.status}`);
    await stopServer(agent);
    // The stream's end takes a moment to propagate; until then a query is a 502.
    const offline = await untilAnswered(() => call(api, live(deviceId)), { isAwaited: ({ status }) => status === 409 });
    found.check(said(offline) === "409 device_offline", `a stopped agent: ${said(offline)}`);
    found.note(
      `enrolled and answering ${Math.round(upMs)} ms after its start, ${log?.name} in ${Math.round(events.ms)} ms`,
    );
    // A frozen agent takes a query's full timeout.
    if (!input.isFull) return;
    agent = start();
    await untilAnswered(list);
    agent.child.kill("SIGSTOP");
    const frozen = await call(api, live(deviceId));
    found.check(said(frozen) === "504 agent_timeout", `a frozen agent: ${said(frozen)}`);
    found.note(`frozen ${Math.round(frozen.ms)} ms`);
    agent.child.kill("SIGCONT");
  } finally {
    agent.child.kill("SIGKILL");
    await agent.ended;
  }
}

/** An agent with unreadable answers, and one that disconnects during a query. */
async function badAgents({ api, key, found, input }: Target): Promise<void> {
  const agent = await enroll(api, key, "GARBAGE-1");
  const ask = () => untilAnswered(() => call(api, live(agent.deviceId)));
  for (const garbage of [{ ok: true, data: "x" }, { ok: true, data: { logs: [{ name: 7 }] } }, { ok: true }]) {
    const fake = await connectAgent(`${api.base}/api/v1`, agent, () => garbage);
    const answer = said(await ask());
    found.check(answer === "502 agent_bad_response", `garbage: ${answer}`);
    fake.leave();
    await fake.ended;
  }
  const leave = async () => {
    const leaving = await connectAgent(`${api.base}/api/v1`, agent, () => void setTimeout(() => leaving.leave(), 20));
    return ask();
  };
  const left = await retryLate(input, leave, ({ ms }) => ms >= FIRST_ANSWER_MS);
  found.check(said(left) === "502 agent_disconnected", `left: ${said(left)}`);
  found.check(left.ms < FIRST_ANSWER_MS, `left: answered after ${Math.round(left.ms)} ms`);
}

/** A query to each simulated agent at once, while they ship. */
async function manyAgents({ api, key, found, input }: Target): Promise<void> {
  const rate = input.isFull ? SHIPPED.full : SHIPPED.quick;
  const simulation = simulateAgents(api, key, { devices: SIMULATED, rate, seconds: SIMULATION_SECONDS });
  try {
    await simulation.listening;
    const pages = await Promise.all(
      [1, 2, 3].map((page) => call<List<Device>>(api, `/devices?limit=100&page=${page}`)),
    );
    const devices = pages.flatMap(({ body }) => body.data).filter(({ agentId }) => agentId?.startsWith("sim-"));
    // Retrying every 20 ms would delay the streams being opened.
    const crowd = { pauseMs: 20 * SIMULATED };
    const isBusy = ({ status }: Asked) => [409, 503, 504].includes(status);
    const query = ({ id }: Device) =>
      untilAnswered(() => call<List<Record>>(api, live(id, "/Security/events?limit=50")), crowd);
    const asked = await Promise.all(devices.map((device) => retryLate(input, () => query(device), isBusy)));
    found.check(devices.length === SIMULATED, `${devices.length} devices are simulated`);
    for (const { status, body } of asked)
      found.check(status === 200 && body.data.length === 50, `simulated: ${status} ${body.code ?? ""}`);
    const sorted = asked.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    found.note(`${devices.length} queries at once p50 ${at(0.5)} ms, max ${at(1)} ms`);
  } finally {
    await stopServer(simulation);
  }
}

export const liveQueries: Line = {
  id: "L1",
  title: "live queries over the wire: reference agent, offline, garbage, 200 agents",
  ...{ quick: 1, full: 50 },
  run: (input, found) =>
    withOwnServer(async (server) => {
      const credentials = await prepare(server);
      const api = { base: server.base, token: credentials.accessToken };
      const target = { api, key: await createEnrollmentKey(server, credentials), found, input };
      await referenceAgent(target, join(server.dataDir, "agent"));
      await badAgents(target);
      const seen = new Found();
      await behind(server, answersAt(/\/system-tools\/devices\//, 200, { data: [] }), ({ base }) =>
        badAgents({ ...target, api: { ...api, base }, found: seen, input: { isFull: true } }),
      );
      found.control("a server that answers for any agent", Math.min(1, seen.failed));
      await manyAgents(target);
    }),
};
