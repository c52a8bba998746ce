import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { linkedTo } from "@/agent/abort";
import { createFolder } from "@/agent/create-folder";
import { Diagnostics } from "@/agent/diagnostics";
import { keepCommandStream } from "@/agent/live/command-stream";
import { fixedLogs } from "@/agent/providers/query";
import { HEARTBEAT_INTERVAL_SECONDS } from "@/server/devices/agents/schema";
import { randomOf } from "@/testing/world/random";
import { SimulatedDevice } from "./device";
import { Figures } from "./figures";
import type { SimulateOptions } from "./options";

const FILE = "tokens.json";
type Tokens = Readonly<Record<string, string>>;

/** Tokens of an earlier run by agent id, which need no new enrollment. */
async function readTokens(dir: string): Promise<Tokens> {
  const text = await readFile(join(dir, FILE), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  return text ? JSON.parse(text) : {};
}

/** Stores the tokens for the next run, readable only by their owner. */
async function keepTokens(dir: string, tokens: Tokens): Promise<void> {
  await createFolder(dir);
  await writeFile(join(dir, FILE), JSON.stringify(tokens), { mode: 0o600 });
}

/** Maximum requests in flight, so that a slow server is not buried. */
const MAX_IN_FLIGHT = 256;
const ENROLLING_AT_ONCE = 8;
/** Time for requests in flight at the end. */
const LAST_ANSWERS_MS = 3_000;
/** Maximum wait for all streams before the load starts anyway. */
const LISTENING_MS = 30_000;

type Simulation = { options: SimulateOptions; figures: Figures; signal: AbortSignal; print: (line: string) => void };

type Streams = { ended: Promise<void>[]; areOpen: boolean };

/** Enrolls a few at a time, opens their command streams, and waits until the server has opened all. */
async function bringUp(devices: SimulatedDevice[], { options, figures, signal }: Simulation): Promise<Streams> {
  const ended: Promise<void>[] = [];
  const opened: Promise<void>[] = [];
  const waiting = [...devices];
  const worker = async () => {
    for (let device = waiting.shift(); device && !signal.aborted; device = waiting.shift()) {
      await device.enroll();
      const { agentId, token, logs } = device;
      const onAnswered = (taken: boolean, ms: number) => {
        if (taken || !signal.aborted) figures.note("live answer", taken ? 204 : "refused", ms);
      };
      const diagnostics = new Diagnostics(() => {}, 100);
      const stream = { url: options.url, agentId, token, logs: fixedLogs(logs), diagnostics, signal, onAnswered };
      opened.push(new Promise((onListening) => ended.push(keepCommandStream({ ...stream, onListening }))));
    }
  };
  await Promise.all(Array.from({ length: ENROLLING_AT_ONCE }, worker));
  const late = sleep(LISTENING_MS, false, { ref: false, signal }).catch(() => false);
  return { ended, areOpen: await Promise.race([Promise.all(opened).then(() => true), late]) };
}

/** Sends an agent's next request: mostly events. */
function act(device: SimulatedDevice, draw: number): Promise<void> {
  if (draw < 0.15) return device.heartbeat();
  return draw < 0.4 ? device.sendDiagnostics() : device.sendEvents();
}

type Course = { perSecond: number; act: (device: SimulatedDevice) => Promise<void> };

/** Mix of requests: a rate of all kinds, or each kind at a fleet's frequency. */
function coursesOf({ devices, rate, interval }: SimulateOptions): Course[] {
  if (interval === undefined) return [{ perSecond: rate, act: (device) => act(device, Math.random()) }];
  return [
    { perSecond: devices / HEARTBEAT_INTERVAL_SECONDS, act: (device) => device.heartbeat() },
    { perSecond: devices / interval, act: (device) => device.sendEvents() },
    { perSecond: devices / interval, act: (device) => device.sendDiagnostics() },
  ];
}

/** Sends requests at a rate, one device after the other, until the end. */
async function drive(devices: SimulatedDevice[], course: Course, { figures, signal }: Simulation): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  const started = performance.now();
  for (let n = 0; !signal.aborted; n++) {
    const due = started + (n * 1000) / course.perSecond;
    const wait = due - performance.now();
    if (wait > 1) await sleep(wait, undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    if (inFlight.size >= MAX_IN_FLIGHT) {
      figures.heldBack++;
      // Yields, so that answers are read even at an unreachable rate.
      await Promise.race(inFlight);
      continue;
    }
    const device = devices[n % devices.length];
    if (!device) return;
    const request = course.act(device);
    inFlight.add(request);
    void request.finally(() => inFlight.delete(request));
  }
  await Promise.race([Promise.all(inFlight), sleep(LAST_ANSWERS_MS)]);
}

/**
 * Drives simulated agents against a server for a time or until the signal.
 * @returns the amounts, for the last line and tests.
 * @throws when the server does not enroll them.
 */
export async function simulate(
  options: SimulateOptions,
  stopping: AbortSignal,
  print: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
): Promise<Figures> {
  const figures = new Figures();
  const ending = linkedTo(stopping);
  const { signal } = ending;
  const simulation = { options, figures, signal, print };
  const { url, events } = options;
  const port = { url, events, figures, signal, random: randomOf(Math.random) };
  const devices = Array.from(
    { length: options.devices },
    (_, n) => new SimulatedDevice(port, options.enrollmentKey, n + 1),
  );
  let streams: Streams = { ended: [], areOpen: false };
  let seconds = 0;
  try {
    const known = options.stateDir ? await readTokens(options.stateDir) : {};
    for (const device of devices) device.token = known[device.agentId] ?? "";
    streams = await bringUp(devices, simulation);
    if (options.stateDir)
      await keepTokens(options.stateDir, Object.fromEntries(devices.map(({ agentId, token }) => [agentId, token])));
    const courses = coursesOf(options);
    const perSecond = courses.reduce((sum, course) => sum + course.perSecond, 0);
    const pace = `${Math.round(perSecond * 10) / 10} requests/s for ${options.seconds} s`;
    const state = streams.areOpen ? "and listening" : "but not all are listening yet";
    print(`${devices.length} agents are enrolled ${state}; ${pace}`);
    const started = performance.now();
    const timer = setTimeout(() => ending.abort(), options.seconds * 1000);
    await Promise.all(courses.map((course) => drive(devices, course, simulation)));
    clearTimeout(timer);
    seconds = (performance.now() - started) / 1000;
  } catch (error) {
    if (!stopping.aborted) throw error;
  } finally {
    ending.abort();
    await Promise.all(streams.ended);
  }
  print(figures.table(Math.max(seconds, 0.001)));
  return figures;
}
