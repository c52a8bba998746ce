import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Diagnostics } from "@/agent/diagnostics";
import { keepCommandStream } from "@/agent/live/command-stream";
import { FileProvider } from "@/agent/providers/files";
import { fixedLogs } from "@/agent/providers/query";
import * as result from "@/app/api/v1/agents/[id]/commands/[commandId]/result/route";
import * as commands from "@/app/api/v1/agents/[id]/commands/route";
import * as eventById from "@/app/api/v1/devices/[id]/eventlogs/[name]/events/[recordId]/route";
import * as eventsById from "@/app/api/v1/devices/[id]/eventlogs/[name]/events/route";
import * as logById from "@/app/api/v1/devices/[id]/eventlogs/[name]/route";
import * as logsById from "@/app/api/v1/devices/[id]/live-eventlogs/route";
import * as byId from "@/app/api/v1/devices/[id]/route";
import { stopRelay } from "@/server/devices/live/relay";
import { eventOutput, eventsOutput, logOutput, logsOutput } from "@/server/devices/live/schema";
import { createFront, createListener } from "@/server/doors/front/front";
import { closeStreams } from "@/server/ground/background/streams";
import { log as output } from "@/server/ground/log";
import {
  auditRows,
  bearer,
  call,
  createApiKey,
  createDevice,
  createOrg,
  createUser,
  type TestDevice,
  type TestOrg,
} from "@/testing/factories";
import { type Answerer, connectAgent, type FakeAgent, postResult } from "@/testing/live-agent";
import { listen } from "@/testing/port-of";
import { elapsedMs, quickest } from "@/testing/quickest";
import { tempFolder } from "@/testing/temp-folder";
import * as event from "./[name]/events/[recordId]/route";
import * as events from "./[name]/events/route";
import * as log from "./[name]/route";
import * as logs from "./route";

const ROUTES = {
  "/agents/[id]/commands": commands,
  "/agents/[id]/commands/[commandId]/result": result,
  "/devices/[id]": byId,
  "/devices/[id]/live-eventlogs": logsById,
  "/devices/[id]/eventlogs/[name]": logById,
  "/devices/[id]/eventlogs/[name]/events": eventsById,
  "/devices/[id]/eventlogs/[name]/events/[recordId]": eventById,
  "/system-tools/devices/[deviceId]/eventlogs": logs,
  "/system-tools/devices/[deviceId]/eventlogs/[name]": log,
  "/system-tools/devices/[deviceId]/eventlogs/[name]/events": events,
  "/system-tools/devices/[deviceId]/eventlogs/[name]/events/[recordId]": event,
};
const listener = createListener({
  routes: Object.entries(ROUTES).map(([path, module]) => ({ path: `/api/v1${path}`, module })),
  origin: "http://127.0.0.1:3000",
  dev: false,
  next: async (_, response) => void response.writeHead(404).end(),
});
const front = createFront(listener);
let base = "";
let org: TestOrg;
let token = "";

beforeAll(async () => {
  base = `http://127.0.0.1:${await listen(front)}/api/v1`;
  org = await createOrg();
  token = await bearer(await createUser({ orgId: org.id, role: "org_technician" }));
});
afterAll(async () => {
  closeStreams();
  await stopRelay();
  front.closeAllConnections();
  front.close();
});

const get = async (path: string, as = token, init: RequestInit = {}) => {
  const response = await fetch(`${base}${path}`, { ...init, headers: { authorization: `Bearer ${as}` } });
  return { status: response.status, headers: response.headers, body: await response.json() };
};
const failing = (path: string) => get(path).then(({ status, body }) => [status, body.code]);

const LOGS = [
  {
    name: "System",
    displayName: "System",
    recordCount: 3,
    maxSize: 2 ** 40,
    retentionDays: 7,
    lastWriteTime: "2026-11-20T10:00:00Z",
  },
  { name: "Microsoft-Windows-PowerShell/Operational" },
];
const ENTRY = {
  recordId: 3,
  timeCreated: "2026-11-20T10:00:00.000Z",
  level: "Error",
  source: "disk",
  eventId: 7,
  message: "bad block",
};
const searched = { bytes: 2 ** 25 };
const WHOLE = { ...ENTRY, level: "error", category: "", user: null, computer: "", rawXml: "" };

/** Answers like a well-behaved agent; log names match exactly, including case. */
const wellBehaved: Answerer = (command) => {
  if (command.name === "eventlogs.list") return { ok: true, data: LOGS };
  if (!LOGS.some((l) => l.name === command.params.logName))
    return { ok: false, error: { code: "not_found", message: "no such log" } };
  if (command.name === "eventlogs.query") return { ok: true, data: { events: [ENTRY], total: 101, searched } };
  return command.params.recordId === 3
    ? { ok: true, data: ENTRY }
    : { ok: false, error: { code: "not_found", message: "no record" } };
};

const open: FakeAgent[] = [];
async function deviceWith(
  answer: Answerer,
  over: { orgId?: string } = {},
): Promise<{ device: TestDevice; agent: FakeAgent }> {
  const device = await createDevice({ orgId: over.orgId ?? org.id });
  const agent = await connectAgent(base, device, answer);
  open.push(agent);
  return { device, agent };
}
afterAll(() => {
  for (const agent of open) agent.leave();
});

describe("live event log queries", () => {
  it("return the list, one log, events and one event, under both paths", async () => {
    const { device } = await deviceWith(wellBehaved);
    const tools = `/system-tools/devices/${device.id}/eventlogs`;
    const name = encodeURIComponent(LOGS[1]!.name);
    for (const path of [tools, `/devices/${device.id}/live-eventlogs`]) {
      const { status, body } = await get(path);
      expect([status, logsOutput.parse(body).data.map((l) => l.name)]).toEqual([200, LOGS.map((l) => l.name)]);
      expect(body.data[0]).toEqual(LOGS[0]);
    }
    for (const path of [tools, `/devices/${device.id}/eventlogs`]) {
      expect(logOutput.parse((await get(`${path}/sYSTEM`)).body).data).toEqual(LOGS[0]);
      expect(logOutput.parse((await get(`${path}/${name.toUpperCase()}`)).body).data.displayName).toBe(LOGS[1]!.name);
      const page = eventsOutput.parse((await get(`${path}/system/events?limit=50&page=2`)).body);
      expect(page).toEqual({ data: [WHOLE], meta: { page: 2, limit: 50, total: 101, totalPages: 3, searched } });
      expect(eventOutput.parse((await get(`${path}/${name.toLowerCase()}/events/3`)).body)).toEqual({ data: WHOLE });
      expect(await failing(`${path}/none`)).toEqual([404, "not_found"]);
      expect(await failing(`${path}/none/events`)).toEqual([404, "not_found"]);
      expect(await failing(`${path}/System/events/4`)).toEqual([404, "not_found"]);
    }
  });

  it("pass every filter to the agent, with normalized levels, and cap the limit at 500", async () => {
    const { device, agent } = await deviceWith(wellBehaved);
    const query =
      "limit=5000&page=2&level=WARN&source=disk%25&startTime=2026-11-01T00:00:00%2B01:00&endTime=2026-11-20T00:00:00Z&eventId=4625";
    const before = Date.now();
    const { body } = await get(`/system-tools/devices/${device.id}/eventlogs/System/events?${query}`);
    expect(body.meta).toMatchObject({ limit: 500, page: 2 });
    expect(agent.commands).toHaveLength(1);
    expect(agent.commands[0]).toMatchObject({
      name: "eventlogs.query",
      params: {
        logName: "System",
        page: 2,
        limit: 500,
        level: "warning",
        source: "disk%",
        startTime: "2026-10-31T23:00:00.000Z",
        endTime: "2026-11-20T00:00:00.000Z",
        eventId: 4625,
      },
    });
    const placed = Date.parse(agent.commands[0]!.deadline) - 30_000;
    expect([placed - before, Date.now() - placed].map(Math.sign)).not.toContain(-1);
  });

  it("find a log's name in any case with at most one lookup", async () => {
    const { device, agent } = await deviceWith(wellBehaved);
    const path = `/system-tools/devices/${device.id}/eventlogs/SYSTEM/events`;
    expect((await get(path)).status).toBe(200);
    expect(agent.commands.map((c) => c.name)).toEqual(["eventlogs.query", "eventlogs.list", "eventlogs.query"]);
    expect((await get(path)).status).toBe(200);
    expect(agent.commands).toHaveLength(4);
  });

  it("require the permission, the device's organization and valid parameters", async () => {
    const { device } = await deviceWith(wellBehaved);
    const path = `/system-tools/devices/${device.id}/eventlogs`;
    const viewer = await bearer(await createUser({ orgId: org.id, role: "org_viewer" }));
    expect((await get(path, viewer)).status).toBe(403);
    expect((await get(path, "nonsense")).status).toBe(401);
    const key = await createApiKey({ orgId: org.id, permissions: ["devices:live"] });
    expect((await get(path, key.key)).status).toBe(200);
    const foreign = await get(path, await bearer(await createUser()));
    const missing = await get(`/system-tools/devices/${crypto.randomUUID()}/eventlogs`);
    expect([foreign.status, foreign.body.detail]).toEqual([404, missing.body.detail]);
    const wrong = ["System/events?limit=0", "System/events?level=loud", "System/events?startTime=x", "System/events/x"];
    for (const bad of wrong) expect(await failing(`${path}/${bad}`), bad).toEqual([400, "validation_failed"]);
    expect(await failing("/system-tools/devices/x/eventlogs")).toEqual([400, "validation_failed"]);
  });

  it("report what went wrong at the agent, but never what it sent", async () => {
    let body: unknown = { ok: true, data: { secret: "s3cret" } };
    const { device, agent } = await deviceWith(() => body);
    const ask = () => get(`/system-tools/devices/${device.id}/eventlogs`);
    for (const bad of [
      body,
      { ok: true },
      { ok: true, data: "s3cret" },
      { ok: "s3cret" },
      { ok: false },
      "{s3cret",
      "[]",
      "7",
      { ok: true, data: { a: "s3cret".repeat(900_000) } },
    ]) {
      body = bad;
      const answer = await ask();
      expect([answer.status, answer.body.code], JSON.stringify(bad).slice(0, 80)).toEqual([502, "agent_bad_response"]);
      expect(JSON.stringify(answer.body)).not.toContain("s3cret");
    }
    // The query fails at once; the agent's own request may finish a moment later.
    await expect.poll(() => agent.statuses).toEqual([422, 422, 422, 400, 400, 400, 400, 400, 413]);
    body = { ok: true, data: [{ name: "System", maxSize: "s3cret" }] };
    expect((await ask()).body.errors).toEqual([{ path: "data.0.maxSize", message: "must be a number" }]);
    body = { ok: false, error: { code: "access_denied", message: "access\r\ndenied\u0000" } };
    expect((await ask()).body).toMatchObject({
      code: "agent_bad_response",
      detail: expect.stringContaining("access denied"),
    });
  });

  it("return numbers exactly, or report the response as invalid", async () => {
    let number = "";
    const { device } = await deviceWith(
      ({ name }) =>
        `{"ok":true,"data":${name === "eventlogs.list" ? `[{"name":"System","maxSize":${number}}]` : `{"recordId":${number},"timeCreated":"x","keywords":9223372036854775809}`}}`,
    );
    const path = `/system-tools/devices/${device.id}/eventlogs`;
    for (number of ["9007199254740993", "0.1000000000000000055", "1e400", "-1e-400", '"7"', "NaN"])
      for (const asked of [`${path}/System`, `${path}/System/events/1`])
        expect([number, ...(await failing(asked))]).toEqual([number, 502, "agent_bad_response"]);
    for (number of ["9007199254740991", "-7", "1.50", "1e3", "0.1"])
      expect((await get(`${path}/System/events/1`)).body.data.recordId, number).toBe(Number(number));
  });

  it("return nothing once the caller's access has ended", async () => {
    const key = await createApiKey({ orgId: org.id, permissions: ["devices:live"] });
    const { device, agent } = await deviceWith(() => undefined);
    const asking = get(`/system-tools/devices/${device.id}/eventlogs`, key.key);
    await expect.poll(() => agent.commands.length).toBe(1);
    await call(await createUser({ orgId: org.id }), `DELETE /api-keys/${key.id}`);
    await postResult(base, device, { commandId: agent.commands[0]!.id, body: { ok: true, data: LOGS } });
    expect(await asking).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
  });

  it("are 409 without a connected agent, and 502 when it disconnects during the query", async () => {
    const attempt = async () => {
      const { device, agent } = await deviceWith((command) => void (command.name === "eventlogs.get" && agent.leave()));
      const path = `/system-tools/devices/${device.id}/eventlogs`;
      const online = async () => (await get(`/devices/${device.id}`)).body.online;
      expect(await online()).toBe(true);
      const took = await elapsedMs(async () =>
        expect(await failing(`${path}/System/events/1`)).toEqual([502, "agent_disconnected"]),
      );
      expect(await failing(path)).toEqual([409, "device_offline"]);
      await expect.poll(online).toBe(false);
      return took;
    };
    expect(await quickest(1_000, attempt)).toBeLessThan(1_000);
  });

  it("are audited with their outcome", async () => {
    const { device, agent } = await deviceWith(wellBehaved);
    const path = `/system-tools/devices/${device.id}/eventlogs`;
    await get(`${path}/System/events?level=error`);
    await get(`${path}/none`);
    agent.leave();
    await expect.poll(() => failing(path)).toEqual([409, "device_offline"]);
    const rows = (await auditRows(org.id)).filter(({ resourceId }) => resourceId === device.id);
    const action = "device.eventlogs.live_query";
    const asked = { query: "events", logName: "System", level: "error" };
    for (const entry of [
      { action, result: "success", details: expect.objectContaining({ ...asked, outcome: "success" }) },
      {
        action,
        result: "failure",
        details: expect.objectContaining({ query: "log", logName: "none", outcome: "not_found" }),
      },
      { action, result: "failure", details: expect.objectContaining({ query: "logs", outcome: "device_offline" }) },
    ])
      expect(rows).toContainEqual(expect.objectContaining(entry));
  });

  it("are cancelled when the caller disconnects", async () => {
    const { device, agent } = await deviceWith(() => undefined);
    const going = new AbortController();
    const asking = get(`/system-tools/devices/${device.id}/eventlogs`, token, { signal: going.signal }).catch(
      () => "gone",
    );
    await expect.poll(() => agent.commands.length).toBe(1);
    going.abort();
    expect(await asking).toBe("gone");
    const late = () => postResult(base, device, { commandId: agent.commands[0]!.id, body: { ok: true, data: [] } });
    await expect.poll(late).toBe(404);
  });
});

it("the reference agent answers queries from this machine's files", async () => {
  const dir = tempFolder();
  const line = (n: number) => `2026-11-20T10:00:0${n}Z web01 sshd[1]: ${n % 2 ? "ok" : "error: failed"} ${n}\n`;
  await writeFile(join(dir, "auth.log"), [0, 1, 2, 3, 4].map(line).join(""));
  const [device, stopping] = [await createDevice({ orgId: org.id }), new AbortController()];
  const keeping = keepCommandStream({
    url: base.replace("/api/v1", ""),
    agentId: device.agentId,
    token: device.token,
    diagnostics: new Diagnostics(() => {}),
    signal: stopping.signal,
    logs: fixedLogs([new FileProvider({ path: join(dir, "auth.log"), program: "auth" })]),
  });
  const path = `/system-tools/devices/${device.id}/eventlogs`;
  await expect.poll(async () => (await get(path)).status).toBe(200);
  const { data, meta } = eventsOutput.parse((await get(`${path}/AUTH.LOG/events?level=err&limit=2&source=SSHD`)).body);
  expect(data.map((e) => [e.message, e.level])).toEqual([
    ["error: failed 4", "error"],
    ["error: failed 2", "error"],
  ]);
  expect(meta).toEqual({ page: 1, limit: 2, total: 3, totalPages: 2 });
  expect((await get(`${path}/auth.log/events/${data[1]!.recordId}`)).body).toEqual({ data: data[1] });
  expect(await failing(`${path}/auth.log/events/1`)).toEqual([404, "not_found"]);
  stopping.abort();
  await keeping;
  await expect.poll(() => failing(path)).toEqual([409, "device_offline"]);
});

describe("the command stream", () => {
  it("is an uncompressed event stream, replaced by a newer one of the same agent", async () => {
    const device = await createDevice({ orgId: org.id });
    const path = `${base}/agents/${device.agentId}/commands`;
    const headers = { authorization: `Bearer ${device.token}`, "accept-encoding": "gzip" };
    const raw = await fetch(path, { headers });
    expect(raw.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(raw.headers.get("x-accel-buffering")).toBe("no");
    expect(raw.headers.get("content-encoding")).toBeNull();
    const newer = await connectAgent(base, device, wellBehaved);
    expect(await raw.text()).toBe(": connected\n\n");
    expect((await get(`/system-tools/devices/${device.id}/eventlogs`)).status).toBe(200);
    newer.leave();
  });

  it("accepts results only from the agent itself", async () => {
    const { device, agent } = await deviceWith(() => undefined);
    const other = await createDevice({ orgId: org.id });
    const asking = get(`/system-tools/devices/${device.id}/eventlogs`);
    await expect.poll(() => agent.commands.length).toBe(1);
    const { id } = agent.commands[0]!;
    const body = { ok: true, data: LOGS };
    expect(await postResult(base, other, { commandId: id, body })).toBe(404);
    expect(await postResult(base, { ...device, token: other.token }, { commandId: id, body })).toBe(404);
    expect(await postResult(base, device, { commandId: crypto.randomUUID(), body })).toBe(404);
    expect(await postResult(base, device, { commandId: "x", body })).toBe(404);
    expect(await postResult(base, device, { commandId: id, body })).toBe(204);
    expect(await postResult(base, device, { commandId: id, body })).toBe(404);
    expect((await asking).body.data).toHaveLength(2);
    const stream = await fetch(`${base}/agents/${device.agentId}/commands`, {
      headers: { authorization: `Bearer ${other.token}` },
    });
    expect(stream.status).toBe(404);
  });

  it("does not log unsolicited results, however invalid", async () => {
    const spies = [vi.spyOn(output, "error"), vi.spyOn(output, "warn")];
    const device = await createDevice({ orgId: org.id });
    expect(await postResult(base, device, { commandId: crypto.randomUUID(), body: "[]" })).toBe(400);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    for (const spy of spies) spy.mockRestore();
  });
});
