import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HttpDouble, json, startHttpDouble } from "@/testing/http-double";
import { tempFolder } from "@/testing/temp-folder";
import { backoffMs, Client, retryAfterMs } from "./client";
import { Diagnostics } from "./diagnostics";
import type { LogProvider, LogRecord } from "./providers/provider";
import { shipDiagnostics, shipEvents, UnknownAgentError } from "./ship";
import { StateFolder } from "./state";

type Body = { events?: { message: string }[]; logs?: object[] };
type Answer = { status: number; headers?: Record<string, string>; body?: object };

const record = (n: number): LogRecord => ({
  logName: "test",
  recordId: n,
  occurrenceId: `o${n}`,
  time: new Date(0),
  level: "information",
  category: "system",
  source: "test",
  message: `m${n}`,
  computer: null,
  user: null,
  details: {},
});

/** A log of 700 records whose watermark is the number of those read. */
const log: Pick<LogProvider, "name" | "read"> = {
  name: "test",
  read: async (since, max) => {
    const from = Number(since || 0);
    const records = Array.from({ length: Math.min(max, 700 - from) }, (_, i) => record(from + i));
    return { records, watermark: String(from + records.length), more: from + records.length < 700 };
  },
};

describe("shipping", () => {
  let double: HttpDouble;
  let answer: (body: Body) => Answer;
  let port: { client: Client; diagnostics: Diagnostics; agentId: string };
  let folder: StateFolder;

  beforeEach(async () => {
    answer = ({ events }) => ({ status: 200, body: { success: true, count: events?.length } });
    double = await startHttpDouble(({ text }) => {
      const { status, body = {}, headers } = answer(JSON.parse(text));
      return json(body, status, headers);
    });
    const diagnostics = new Diagnostics(() => {});
    const client = new Client({
      url: double.url,
      diagnostics,
      signal: new AbortController().signal,
      maxAttempts: 3,
      random: () => 0,
    });
    client.token = "tma_x";
    port = { client, diagnostics, agentId: "a1" };
    folder = await StateFolder.open(tempFolder());
  });
  afterEach(() => double.close());

  it("sends compressed batches of at most 500 and stores the watermark after each", async () => {
    expect(await shipEvents(port, log, folder)).toEqual({
      shipped: { sent: 500, stored: 500, refused: 0 },
      more: true,
    });
    expect(folder.state.watermarks.test).toBe("500");
    expect(await shipEvents(port, log, folder)).toMatchObject({ shipped: { sent: 200 }, more: false });
    expect(double.received.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array(2).fill("PUT /api/v1/agents/a1/eventlogs"),
    );
    expect(double.received[0]?.headers).toMatchObject({ "content-encoding": "gzip", authorization: "Bearer tma_x" });
  });

  it("retries on 429 and 5xx and keeps the watermark during an outage", async () => {
    const statuses = [429, 503, 200];
    answer = () => ({
      status: statuses[double.received.length - 1] ?? 200,
      headers: { "retry-after": "0" },
      body: { count: 500 },
    });
    expect((await shipEvents(port, log, folder)).shipped.sent).toBe(500);
    answer = () => ({ status: 503 });
    expect(await shipEvents(port, log, folder)).toMatchObject({ shipped: { sent: 0 }, more: false });
    expect(folder.state.watermarks.test).toBe("500");
    expect(port.diagnostics.peek(10).filter((e) => e.component === "transport").length).toBeGreaterThan(0);
  });

  it("retries with one idempotency key until answered", async () => {
    const answers: Answer[] = [
      { status: 503 },
      { status: 409, headers: { "retry-after": "0" }, body: { code: "conflict", detail: "still under way" } },
      { status: 201, body: { token: "tma_x" } },
    ];
    answer = () => answers[double.received.length - 1] ?? { status: 500 };
    const body = { hostname: "WS-1" };
    expect(await port.client.sendOnce("/agents/enroll", body, "k1")).toEqual({
      kind: "ok",
      body: { token: "tma_x" },
    });
    const keys = double.received.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual(["k1", "k1", "k1"]);
    answer = () => ({ status: 409, body: { code: "conflict", detail: "enrolled already" } });
    expect(await port.client.sendOnce("/agents/enroll", body, "k2")).toMatchObject({ kind: "refused", status: 409 });
    expect(double.received.at(-1)?.headers["idempotency-key"]).toBe("k2");
  });

  it("isolates and logs a rejected entry, and ships its neighbors", async () => {
    answer = ({ events }) =>
      events?.some((e) => e.message === "m123")
        ? { status: 400, body: { detail: "events.0.source: too long" } }
        : { status: 200, body: { count: events?.length } };
    expect((await shipEvents(port, log, folder)).shipped).toEqual({ sent: 500, stored: 499, refused: 1 });
    expect(folder.state.watermarks.test).toBe("500");
    const errors = port.diagnostics.peek(10).filter((e) => e.level === "error");
    expect(errors).toMatchObject([{ fields: { detail: "400 events.0.source: too long" } }]);
  });

  it("warns once about unreadable entries after the watermark passes them", async () => {
    const warning = "the file that was read last is gone";
    const lossy: typeof log = { ...log, read: async (since, max) => ({ ...(await log.read(since, max)), warning }) };
    answer = () => ({ status: 503 });
    await shipEvents(port, lossy, folder);
    const warnings = () => port.diagnostics.peek(10).filter((e) => e.component === "events");
    expect(warnings()).toEqual([]);
    answer = () => ({ status: 200, body: { count: 500 } });
    await shipEvents(port, lossy, folder);
    expect(warnings()).toMatchObject([{ level: "warn", message: warning, fields: { log: "test" } }]);
  });

  it("stops when the server no longer knows the agent", async () => {
    answer = () => ({ status: 401, body: { code: "unauthenticated", detail: "unknown or revoked" } });
    await expect(shipEvents(port, log, folder)).rejects.toThrow(UnknownAgentError);
    expect(folder.state.watermarks.test).toBeUndefined();
  });

  it.each([401, 403, 404, 407])("retries a %i that came from a proxy", async (status) => {
    answer = () =>
      double.received.length < 3
        ? { status, body: { error: "sign in to the guest network" } }
        : { status: 200, body: { count: 500 } };
    expect(await shipEvents(port, log, folder)).toMatchObject({ shipped: { stored: 500 } });
    expect(double.received).toHaveLength(3);
  });

  it("reads at most 1 MiB of a response, and retries", async () => {
    const sizes = [2 ** 28, 2 ** 20 + 1, 100];
    answer = () => ({ status: 200, body: { pad: "x".repeat(sizes.shift() ?? 0) } });
    await port.client.send("POST", "/x", {});
    expect(double.received).toHaveLength(3);
  });

  it("keeps diagnostics until acknowledged", async () => {
    port.diagnostics.info("test", "hello");
    answer = () => ({ status: 503 });
    expect(await shipDiagnostics(port)).toBe(false);
    answer = ({ logs }) => ({ status: 201, body: { received: logs?.length } });
    expect(await shipDiagnostics(port)).toBe(true);
    const { logs }: Body = JSON.parse(double.received.at(-1)?.text ?? "{}");
    expect(logs).toMatchObject([{ message: "hello" }, { component: "transport" }]);
    expect(port.diagnostics.peek(10).map((e) => e.message)).toEqual(["the server can be reached again"]);
  });
});

describe("retry delay", () => {
  it("doubles up to a minute with jitter and honors Retry-After", () => {
    expect([0, 1, 2, 3, 20].map((n) => backoffMs(n, () => 1))).toEqual([1000, 2000, 4000, 8000, 60_000]);
    expect(backoffMs(3, () => 0.25)).toBe(2000);
    expect(retryAfterMs("7", 0)).toBe(7000);
    expect(retryAfterMs(new Date(60_000).toUTCString(), 50_000)).toBe(10_000);
    expect([retryAfterMs(null, 0), retryAfterMs("soon", 0)]).toEqual([0, 0]);
  });

  it("is at most an hour", () => {
    const nextYear = new Date(365 * 86_400_000).toUTCString();
    for (const header of ["3601", "2147484", "99999999999", "9".repeat(400), nextYear])
      expect(retryAfterMs(header, 0)).toBe(3_600_000);
  });
});
