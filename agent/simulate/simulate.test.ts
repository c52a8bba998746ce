import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { UsageError } from "@/agent/options";
import { type Answered, type Incoming, json, startHttpDouble } from "@/testing/http-double";
import { tempFolder } from "@/testing/temp-folder";
import { randomOf } from "@/testing/world/random";
import { MemoryLog } from "./memory-log";
import { parseSimulateOptions } from "./options";
import { simulate } from "./simulate";

it("limits option values", () => {
  const base = ["--url", "http://127.0.0.1:1", "--enrollment-key", "tme_x"];
  expect(parseSimulateOptions([...base, "--devices", "200", "--rate", "50.5"])).toMatchObject({
    devices: 200,
    rate: 50.5,
    seconds: 60,
  });
  expect(parseSimulateOptions([...base, "--interval", "120", "--events", "40"])).toMatchObject({
    interval: 120,
    events: 40,
  });
  for (const wrong of [
    ["--rate", "1", "--interval", "60"],
    ["--events", "501"],
    ["--devices", "0"],
    ["--devices", "1001"],
    ["--rate", "x"],
    ["--seconds", "-1"],
    ["--what"],
  ])
    expect(() => parseSimulateOptions([...base, ...wrong])).toThrow(UsageError);
  expect(() => parseSimulateOptions(["--url", "http://x"])).toThrow(UsageError);
});

it("pages, filters and limits a simulated log", async () => {
  const log = new MemoryLog({ name: "Security", computer: "PC-1", random: randomOf(Math.random), past: 490 });
  for (let n = 0; n < 30; n++) log.happen();
  expect((await log.describe()).recordCount).toBe(500);
  const page = await log.query({ page: 2, limit: 10 });
  expect([page.total, page.events[0]?.recordId]).toEqual([500, 510]);
  const failures = await log.query({ page: 1, limit: 500, eventId: 4625 });
  expect(failures.events.every((entry) => entry.level === "warning")).toBe(true);
  expect(await log.get(520)).toMatchObject({ recordId: 520, computer: "PC-1" });
  expect(await log.get(1)).toBeUndefined();
});

/** A server for a test, by the kind of a request: the end of its path. */
async function startServer(answer: (kind: string, incoming: Incoming) => Answered | Promise<Answered>) {
  const server = await startHttpDouble((incoming) => answer(incoming.path.split("/").pop() ?? "", incoming));
  onTestFinished(server.close);
  const bodiesOf = (kind: string) =>
    server.received.filter(({ path }) => path.endsWith(`/${kind}`)).map(({ text }) => JSON.parse(text));
  return { ...server, bodiesOf };
}

const opened = (text: string) => (response: ServerResponse) =>
  response.writeHead(200, { "content-type": "text/event-stream" }).write(text);

/** Simulated agents until the test stops them. */
function simulation(url: string, over: object, print: (line: string) => void = () => {}) {
  const stopping = new AbortController();
  const options = { url, enrollmentKey: "tme_x", devices: 3, rate: 20, seconds: 60, ...over };
  const running = simulate(options, stopping.signal, print);
  return () => {
    stopping.abort();
    return running;
  };
}

it("drives agents at the given rate, answers live queries, counts errors and stops on request", async () => {
  const command = { id: "c1", name: "eventlogs.list", params: {}, deadline: new Date().toISOString() };
  const { url, bodiesOf } = await startServer((kind) => {
    if (kind === "commands") return opened(`event: command\ndata: ${JSON.stringify(command)}\n\n`);
    if (kind === "enroll") return json({ token: "tma_x" }, 201);
    if (kind === "result") return { status: 204 };
    return kind === "logs" ? json({}, 503) : json({ count: 1 });
  });
  const lines: string[] = [];
  const stop = simulation(url, {}, (line) => lines.push(line));
  const sent = (kind: string) => bodiesOf(kind).length;
  await expect.poll(() => sent("eventlogs") > 20 && sent("logs") > 3).toBe(true);
  // Requests that come after: what was answered before has been read.
  const before = { eventlogs: sent("eventlogs"), logs: sent("logs") };
  await expect.poll(() => sent("eventlogs") > before.eventlogs && sent("logs") > before.logs).toBe(true);
  await expect.poll(() => sent("result")).toBe(3);
  const figures = await stop();
  expect(sent("enroll")).toBe(3);
  expect(figures.eventsStored).toBeGreaterThan(5);
  expect([...figures.errors.keys()]).toEqual(["logs 503"]);
  expect(lines.at(-1)).toContain("errors: logs 503");
});

it("reports agents as listening once every stream is open", async () => {
  let open = 0;
  const { url } = await startServer(async (kind) => {
    if (kind !== "commands") return json({ token: "tma_x" }, kind === "enroll" ? 201 : 200);
    await sleep(300);
    open++;
    return opened(": connected\n\n");
  });
  const openAt = new Map<string, number>();
  const stop = simulation(url, {}, (line) => openAt.set(line, open));
  await expect.poll(() => [...openAt.values()]).toEqual([3]);
  expect([...openAt.keys()][0]).toContain("3 agents are enrolled and listening");
  await stop();
});

it("reuses the tokens of an earlier run instead of enrolling again", async () => {
  const tokens = new Set<string | undefined>();
  const { url, bodiesOf } = await startServer((kind, { headers }) => {
    if (kind === "enroll") return json({ token: `tma_${bodiesOf("enroll").length}` }, 201);
    tokens.add(headers.authorization);
    return json({});
  });
  const stateDir = tempFolder();
  for (const _ of ["first", "second"]) {
    tokens.clear();
    const stop = simulation(url, { devices: 2, rate: 50, stateDir });
    await expect.poll(() => tokens.size).toBe(2);
    await stop();
    expect([...tokens].sort()).toEqual(["Bearer tma_1", "Bearer tma_2"]);
  }
  expect(bodiesOf("enroll")).toHaveLength(2);
});

it("sends each kind as often as real agents, with the requested number of events", async () => {
  const { url, bodiesOf } = await startServer((kind) =>
    json({ token: "tma_x", count: 40 }, kind === "enroll" ? 201 : 200),
  );
  const began = performance.now();
  const stop = simulation(url, { devices: 10, interval: 1, events: 40 });
  const sent = (kind: string) => bodiesOf(kind).length;
  await expect.poll(() => sent("eventlogs") > 9 && sent("logs") > 5 && sent("heartbeat") > 0).toBe(true);
  await stop();
  expect(new Set(bodiesOf("eventlogs").map(({ events }) => events.length))).toEqual(new Set([40]));
  expect(sent("heartbeat")).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 6_000));
});
