import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type HttpDouble, json, startHttpDouble } from "@/testing/http-double";
import { tempFolder } from "@/testing/temp-folder";
import { Client } from "./client";
import { Diagnostics } from "./diagnostics";
import { parseOptions, UsageError } from "./options";
import { fixedLogs } from "./providers/query";
import { type Agent, enroll, nextBeatMs, runUntilStopped } from "./run";
import { StateFolder } from "./state";

afterEach(() => void vi.useRealTimers());

it("an unenrolled agent without a key exits with a usage error", async () => {
  const options = parseOptions(["--url", "http://127.0.0.1:9"]);
  await expect(enroll({ options } as Agent)).rejects.toThrow(UsageError);
});

describe("heartbeat interval", () => {
  it("follows the server", () => {
    expect(nextBeatMs({ ok: true, intervalSeconds: 90 })).toBe(90_000);
  });

  it.each([undefined, null, "", [], {}, { intervalSeconds: "90" }, { intervalSeconds: null }])(
    "defaults to a minute if the server gives none: %j",
    (body) => expect(nextBeatMs(body)).toBe(60_000),
  );

  it.each([0, -1, 0.001, 1e12])("is a minute if the server asks for %s seconds", (seconds) =>
    expect(nextBeatMs({ intervalSeconds: seconds })).toBe(60_000),
  );
});

it.each([-5, 5])("heartbeats and events keep their intervals when the clock moves by %i hours", async (hours) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 4, 1) });
  const stopping = new AbortController();
  const done = { beats: 0, readings: 0 };
  const { url, close } = await startHttpDouble(({ path }) => {
    if (path.endsWith("/heartbeat")) done.beats++;
    return json({ ok: true, intervalSeconds: 1 });
  });
  onTestFinished(close);
  const { signal } = stopping;
  const diagnostics = new Diagnostics(() => {});
  const log: Agent["logs"]["shipped"][number] = {
    name: "test",
    read: async () => {
      done.readings++;
      return { records: [], watermark: "", more: false };
    },
    describe: () => Promise.reject(new Error("not asked for")),
    query: () => Promise.reject(new Error("not asked for")),
    get: () => Promise.reject(new Error("not asked for")),
  };
  const running = runUntilStopped({
    options: { ...parseOptions(["--url", url]), url, interval: 1 },
    folder: await StateFolder.open(tempFolder()),
    client: new Client({ url, diagnostics, signal }),
    diagnostics,
    logs: { live: fixedLogs([]), shipped: [log] },
    signal,
  });
  try {
    await vi.waitFor(() => expect(done).toEqual({ beats: 1, readings: 1 }), 60_000);
    vi.setSystemTime(Date.now() + hours * 3_600_000);
    await vi.waitFor(() => expect(Math.min(done.beats, done.readings)).toBeGreaterThan(1), 60_000);
  } finally {
    stopping.abort();
    await running;
  }
});

describe("enrollment", () => {
  type Reply = { status: number; body?: object };
  let server: HttpDouble;
  let dir: string;
  beforeEach(async () => {
    server = await startHttpDouble(() => "silent");
    dir = tempFolder();
  });
  afterEach(() => server.close());
  const keys = () => server.received.map(({ headers }) => headers["idempotency-key"]);

  /** What one run of the installer does, with what the run before it has left on the disk. */
  async function run({ status, body = { code: "unavailable" } }: Reply): Promise<StateFolder["state"]> {
    const { url } = server;
    server.answer = () => json(body, status);
    const diagnostics = new Diagnostics(() => {});
    const { signal } = new AbortController();
    await enroll({
      options: { ...parseOptions(["--url", url, "--enrollment-key", "tme_x"]), url },
      folder: await StateFolder.open(dir),
      client: new Client({ url, diagnostics, signal, maxAttempts: 1 }),
      diagnostics,
      logs: { live: fixedLogs([]), shipped: [] },
      signal,
    }).catch(() => {});
    return (await StateFolder.open(dir)).state;
  }
  const enrolled = { status: 201, body: { agentId: "a1", deviceId: "d1", orgId: "o1", token: "tma_x" } };

  it("retries with the same key after a lost response until a token is saved", async () => {
    await run({ status: 503 });
    await run({ status: 401 });
    expect(await run(enrolled)).toMatchObject({ agentId: "a1", token: "tma_x" });
    const [first, ...retries] = keys();
    expect([first, retries]).toEqual([expect.any(String), [first, first]]);
    await run(enrolled);
    expect(keys()[3]).not.toBe(first);
  });

  it("uses a new key if the server rejects the old one as used by another request", async () => {
    await run({ status: 422, body: { code: "idempotency_mismatch" } });
    await run(enrolled);
    expect(keys()[1]).not.toBe(keys()[0]);
  });
});
