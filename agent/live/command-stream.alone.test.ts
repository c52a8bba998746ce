import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Diagnostics } from "@/agent/diagnostics";
import type { LogProvider } from "@/agent/providers/provider";
import { fixedLogs } from "@/agent/providers/query";
import { LIVE_QUERY_TIMEOUT_MS } from "@/server/devices/live/schema";
import { startHttpDouble } from "@/testing/http-double";
import { keepCommandStream } from "./command-stream";

const never = () => Promise.reject(new Error("not asked for"));
let stream: ServerResponse | undefined;
let answered: number[];
let asked: number[];
let held: Map<number, () => void>;
let end: () => Promise<void>;

beforeEach(async () => {
  [stream, answered, asked, held] = [undefined, [], [], new Map()];
  const openStream = (response: ServerResponse) => {
    stream = response.writeHead(200, { "content-type": "text/event-stream" });
    stream.write(": connected\n\n");
  };
  const server = await startHttpDouble(({ path }) => {
    if (path.endsWith("/commands")) return openStream;
    answered.push(Number(path.split("/").at(-2)));
    return { status: 204 };
  });
  /** Reads a page at once, but those below ten when the test says so. */
  const log: LogProvider = {
    name: "log",
    read: never,
    describe: never,
    get: never,
    async query({ page }) {
      asked.push(page);
      if (page < 10) await new Promise<void>((resolve) => held.set(page, resolve));
      return { events: [], total: 0 };
    },
  };
  const stopping = new AbortController();
  const keeping = keepCommandStream({
    url: server.url,
    agentId: "agent-1",
    token: "tma_x",
    diagnostics: new Diagnostics(() => {}),
    signal: stopping.signal,
    logs: fixedLogs([log]),
  });
  await expect.poll(() => stream).toBeDefined();
  end = async () => {
    vi.useRealTimers();
    stopping.abort();
    await keeping;
    await server.close();
  };
});
afterEach(() => end());

/** Sends a query for each of the pages, in one piece. */
function send(...pages: number[]): void {
  const events = pages.map((page) => {
    const params = { logName: "log", page, limit: 1 };
    const command = { id: String(page), name: "eventlogs.query", params, deadline: "2026-11-20T10:00:00Z" };
    return `event: command\ndata: ${JSON.stringify(command)}\n\n`;
  });
  stream?.write(events.join(""));
}

it("a slow query does not delay later ones", async () => {
  send(1, 10, 11, 12, 13, 14, 15, 16);
  await expect.poll(() => answered.length).toBe(7);
  held.get(1)?.();
  await expect.poll(() => answered.at(-1)).toBe(1);
});

it("hanging queries do not delay those of the next connection", async () => {
  send(1, 2, 3, 4, 10);
  await expect.poll(() => asked).toEqual([1, 2, 3, 4]);
  const first = stream;
  first?.end();
  await expect.poll(() => stream !== first).toBe(true);
  send(11);
  await expect.poll(() => answered).toEqual([11]);
});

it("an abandoned query is not executed", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  send(1, 2, 3, 4, 20);
  await expect.poll(() => asked).toEqual([1, 2, 3, 4]);
  vi.advanceTimersByTime(LIVE_QUERY_TIMEOUT_MS);
  send(21);
  held.get(3)?.();
  await expect.poll(() => answered).toEqual([3, 21]);
  expect(asked).toEqual([1, 2, 3, 4, 21]);
});
