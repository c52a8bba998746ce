import { createServer, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { UsageError } from "@/agent/options";
import { listen, portOf } from "@/testing/port-of";
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

it("drives agents at the given rate, answers live queries, counts errors and stops on request", async () => {
  const [seen, answered] = [new Map<string, number>(), new Map<string, number>()];
  const count = (map: Map<string, number>, kind: string) => map.set(kind, (map.get(kind) ?? 0) + 1);
  const answers: unknown[] = [];
  const server = createServer(async (request, response: ServerResponse) => {
    const kind = request.url?.split("/").pop() ?? "";
    count(seen, kind);
    response.once("close", () => count(answered, kind));
    if (kind === "commands") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const command = { id: "c1", name: "eventlogs.list", params: {}, deadline: new Date().toISOString() };
      response.write(`event: command\ndata: ${JSON.stringify(command)}\n\n`);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (kind === "enroll") {
      const { agentId } = JSON.parse(Buffer.concat(chunks).toString());
      response.writeHead(201).end(JSON.stringify({ agentId, deviceId: "d", orgId: "o", token: "tma_x" }));
    } else if (kind === "result") {
      answers.push(1);
      response.writeHead(204).end();
    } else if (kind === "eventlogs") response.writeHead(200).end(JSON.stringify({ success: true, count: 1 }));
    else response.writeHead(kind === "logs" ? 503 : 200).end("{}");
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const lines: string[] = [];
  const stopping = new AbortController();
  const running = simulate(
    { url, enrollmentKey: "tme_x", devices: 3, rate: 20, seconds: 60 },
    stopping.signal,
    (line) => lines.push(line),
  );
  const isAnswered = () => (answered.get("eventlogs") ?? 0) > 20 && (answered.get("logs") ?? 0) > 3;
  await expect.poll(isAnswered).toBe(true);
  // Requests that come after: what was answered before has been read.
  const before = { eventlogs: seen.get("eventlogs"), logs: seen.get("logs") };
  await expect.poll(() => seen.get("eventlogs") !== before.eventlogs && seen.get("logs") !== before.logs).toBe(true);
  await expect.poll(() => answers.length).toBe(3);
  stopping.abort();
  const figures = await running;
  expect(seen.get("enroll")).toBe(3);
  expect(figures.eventsStored).toBeGreaterThan(5);
  expect([...figures.errors.keys()]).toEqual(["logs 503"]);
  expect(lines.at(-1)).toContain("errors: logs 503");
  server.closeAllConnections();
  server.close();
});

it("reports agents as listening once every stream is open", async () => {
  let opened = 0;
  const server = createServer(async (request, response) => {
    request.resume();
    if (request.url?.endsWith("/enroll")) return void response.writeHead(201).end(JSON.stringify({ token: "tma_x" }));
    if (!request.url?.endsWith("/commands")) return void response.writeHead(200).end("{}");
    await sleep(300);
    opened++;
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": connected\n\n");
  });
  await listen(server);
  const openedAt = new Map<string, number>();
  const stopping = new AbortController();
  const options = { url: `http://127.0.0.1:${portOf(server)}`, enrollmentKey: "tme_x", rate: 20, seconds: 60 };
  const running = simulate({ ...options, devices: 3 }, stopping.signal, (line) => openedAt.set(line, opened));
  await expect.poll(() => [...openedAt.values()]).toEqual([3]);
  expect([...openedAt.keys()][0]).toContain("3 agents are enrolled and listening");
  stopping.abort();
  await running;
  server.closeAllConnections();
  server.close();
});

it("reuses the tokens of an earlier run instead of enrolling again", async () => {
  const enrolled: string[] = [];
  const tokens = new Set<string | undefined>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url?.endsWith("/enroll")) {
      const { agentId } = JSON.parse(Buffer.concat(chunks).toString());
      enrolled.push(agentId);
      response.writeHead(201).end(JSON.stringify({ token: `tma_${enrolled.length}` }));
    } else {
      tokens.add(request.headers.authorization);
      response.writeHead(200).end("{}");
    }
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const stateDir = tempFolder();
  for (const _ of ["first", "second"]) {
    tokens.clear();
    const stopping = new AbortController();
    const options = { url, enrollmentKey: "tme_x", devices: 2, rate: 50, seconds: 60, stateDir };
    const running = simulate(options, stopping.signal, () => {});
    await expect.poll(() => tokens.size).toBe(2);
    stopping.abort();
    await running;
    expect([...tokens].sort()).toEqual(["Bearer tma_1", "Bearer tma_2"]);
  }
  expect(enrolled).toHaveLength(2);
  server.closeAllConnections();
  server.close();
});

it("sends each kind as often as real agents, with the requested number of events", async () => {
  const bodies = new Map<string, { events?: unknown[] }[]>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const kind = request.url?.split("/").pop() ?? "";
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
    bodies.set(kind, [...(bodies.get(kind) ?? []), body]);
    response.writeHead(kind === "enroll" ? 201 : 200).end(JSON.stringify({ token: "tma_x", count: 40 }));
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const stopping = new AbortController();
  const options = { url, enrollmentKey: "tme_x", devices: 10, rate: 20, interval: 1, events: 40, seconds: 60 };
  const began = performance.now();
  const running = simulate(options, stopping.signal, () => {});
  const sent = (kind: string) => bodies.get(kind)?.length ?? 0;
  await expect.poll(() => sent("eventlogs") > 9 && sent("logs") > 5 && sent("heartbeat") > 0).toBe(true);
  stopping.abort();
  await running;
  expect(new Set(bodies.get("eventlogs")?.map(({ events }) => events?.length))).toEqual(new Set([40]));
  expect(sent("heartbeat")).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 6_000));
  server.closeAllConnections();
  server.close();
});
