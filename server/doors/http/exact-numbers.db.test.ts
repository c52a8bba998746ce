import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import * as eventLogs from "@/app/api/v1/agents/[id]/eventlogs/route";
import * as agentLogs from "@/app/api/v1/agents/[id]/logs/route";
import * as events from "@/app/api/v1/audit-logs/events/route";
import * as exports from "@/app/api/v1/audit-logs/export/route";
import * as fullList from "@/app/api/v1/audit-logs/logs/route";
import * as flatList from "@/app/api/v1/audit-logs/route";
import * as deviceLogs from "@/app/api/v1/devices/[id]/diagnostic-logs/route";
import * as deviceEvents from "@/app/api/v1/devices/[id]/eventlogs/route";
import { asSystem } from "@/db/client";
import { getEntryJson } from "@/server/audit/entries/get";
import { flushRecording } from "@/server/audit/record/record";
import { createApiKey, createDevice, createUser, ctxFor, type TestDevice } from "@/testing/factories";
import type { RouteHandler } from "./route";

const EXACT =
  '"q": 9007199254740993, "m": 12345678901234567890, "money": 1.10, "f": [1.0, {"pi": 3.14159265358979323846}]';
const DIGITS = ["9007199254740993", "12345678901234567890", "1.10", "1.0", "3.14159265358979323846"];

describe("numbers beyond double precision", () => {
  let device: TestDevice;
  let key: string;

  const send = async (
    handler: RouteHandler,
    init: { method?: string; body?: string; query?: string; token: string },
  ) => {
    const { method = "POST", body = null, query = "", token } = init;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const byPath = [deviceLogs.GET, deviceEvents.GET];
    const id = token === device.token ? device.agentId : byPath.includes(handler) ? device.id : undefined;
    const request = new Request(`http://127.0.0.1:3000/x${query}`, { method, headers, body });
    const answer = await handler(request, { params: Promise.resolve({ ...(id && { id }) }) });
    return { status: answer.status, text: await answer.text() };
  };
  const read = async (handler: RouteHandler, query = "") =>
    (await send(handler, { method: "GET", query, token: key })).text;
  const auditEvent = (details: string) =>
    `{"events":[{"actorType":"system","actorId":"x","action":"thing.count","resourceType":"thing","result":"success","details":{${details}}}]}`;
  const logs = (fields: string) =>
    `{"logs":[{"timestamp":"2026-05-01T10:00:00Z","level":"info","component":"c","message":"m","fields":{${fields}}}]}`;
  const stored = (details: string) =>
    `{"events":[{"timestamp":"2026-05-01T10:00:00Z","level":"info","category":"system","source":"s","message":"m","details":{${details}}}]}`;

  const POSTS: [string, RouteHandler, "POST" | "PUT", (details: string) => string, string][] = [
    ["an audit event", events.POST, "POST", auditEvent, "events.0.details"],
    ["an agent's log entry", agentLogs.POST, "POST", logs, "logs.0.fields"],
    ["a device's event", eventLogs.PUT, "PUT", stored, "events.0.details"],
  ];
  const tokenFor = (handler: RouteHandler) => (handler === events.POST ? key : device.token);

  beforeAll(async () => {
    device = await createDevice();
    ({ key } = await createApiKey({
      orgId: device.orgId,
      permissions: ["audit:write", "audit:read", "audit:export", "devices:read"],
    }));
    for (const [, handler, method, body] of POSTS)
      expect((await send(handler, { method, body: body(EXACT), token: tokenFor(handler) })).status).toBeLessThan(300);
    await flushRecording(60_000);
  });

  it.each<[string, () => Promise<string>]>([
    ["the full list", () => read(fullList.GET, "?action=thing.count")],
    ["the flat list", () => read(flatList.GET, "?action=thing.count")],
    ["the CSV export", () => read(exports.GET)],
    [
      "the JSON export",
      async () => (await send(exports.POST, { body: '{"filters":{"action":"thing"}}', token: key })).text,
    ],
    [
      "the JSON that the dashboard shows and copies",
      async () => {
        const [{ id }] = JSON.parse(await read(fullList.GET, "?action=thing.count")).data;
        return (await getEntryJson.run(await ctxFor(await createUser({ orgId: device.orgId })), { id })).json;
      },
    ],
    ["the device's log entries", () => read(deviceLogs.GET)],
    ["the device's events", () => read(deviceEvents.GET)],
  ])("keep their digits in %s", async (_, ask) => {
    const text = await ask();
    for (const digits of DIGITS) expect(text).toMatch(new RegExp(`[:,[\\s]${digits.replace(".", "\\.")}[,}\\]\\s]`));
  });

  it("keep their digits in the hashed row", async () => {
    const [row] = await asSystem((tx) =>
      tx.execute<{ details: string }>(
        sql`SELECT details::text AS details FROM audit_logs WHERE org_id = ${device.orgId} AND action = 'thing.count'`,
      ),
    );
    for (const digits of DIGITS) expect(row?.details).toContain(digits);
  });

  it.for(POSTS)("are rejected by name if they would change: %s", async ([_, handler, method, body, path]) => {
    for (const [details, at] of [
      ['"n": 1e400', "n"],
      ['"a": {"b": [0, 1E5]}', "a.b.1"],
      ['"z": -0', "z"],
      [`"long": ${"9".repeat(2_000)}`, "long"],
    ]) {
      const answer = await send(handler, { method, body: body(details as string), token: tokenFor(handler) });
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.text).errors).toMatchObject([{ path: `${path}.${at}` }]);
    }
  });
});
