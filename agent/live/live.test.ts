import { appendFile, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { Diagnostics } from "@/agent/diagnostics";
import { FileProvider } from "@/agent/providers/files";
import { JournaldProvider } from "@/agent/providers/journald";
import type { LogProvider } from "@/agent/providers/provider";
import { findLog, fixedLogs } from "@/agent/providers/query";
import type { Descriptor, Entry } from "@/server/devices/live/schema";
import { startHttpDouble } from "@/testing/http-double";
import { tempFolder } from "@/testing/temp-folder";
import { answer } from "./answer";
import { keepCommandStream, readEvents } from "./command-stream";

const line = (n: number) =>
  `2026-11-20T10:00:${String(n).padStart(2, "0")}.000Z web01 ${n % 2 ? "sshd" : "cron"}[${n}]: ${n % 10 ? "ok" : "error: failed"} ${n}\n`;
const command = (name: string, params: object) => ({ id: "1", name, params, deadline: "2026-11-20T10:00:00Z" });

/** Stands in for journalctl: 300 entries, newest first where asked so, from a time on where asked so. */
const JOURNALCTL = `#!/usr/bin/env node
const arg = (name) => process.argv.find((a) => a.startsWith(name))?.slice(name.length);
if (process.argv.includes("--header")) { console.log("Entry objects: 200\\nArena size: 1000\\n\\nEntry objects: 100\\nArena size: 24"); process.exit(0); }
let n = Array.from({ length: 300 }, (_, i) => i + 1);
const since = arg("--since=@");
if (since) n = n.filter((i) => 1777000000 + i >= Number(since));
if (process.argv.includes("--reverse")) n.reverse();
for (const i of n) console.log(JSON.stringify({ __CURSOR: "s=a;i=" + i.toString(16) + ";b=b", __REALTIME_TIMESTAMP: String((1777000000 + i) * 1e6), PRIORITY: i % 3 ? "6" : "3", SYSLOG_IDENTIFIER: "sshd", MESSAGE: "m" + i, _HOSTNAME: "web01", _UID: "0" }));
`;

let dir: string;
let logs: LogProvider[];
beforeEach(async () => {
  dir = tempFolder();
  await writeFile(join(dir, "auth.log"), Array.from({ length: 60 }, (_, n) => line(n)).join(""));
  await writeFile(join(dir, "journalctl.cjs"), JOURNALCTL, { mode: 0o755 });
  logs = [
    new JournaldProvider(join(dir, "journalctl.cjs")),
    new FileProvider({ path: join(dir, "auth.log"), program: "auth", facility: 10 }),
  ];
});

// biome-ignore lint/suspicious/noExplicitAny: tests read an answer's members freely
const ask = async (name: string, params: object = {}): Promise<any> => answer(fixedLogs(logs), command(name, params));
const query = async (params: object): Promise<{ events: Entry[]; total: number }> =>
  (await ask("eventlogs.query", { logName: "auth.log", page: 1, limit: 10, ...params })).data;

describe("live query on the agent", () => {
  it("lists its logs", async () => {
    const { ok, data } = await ask("eventlogs.list");
    expect(ok).toBe(true);
    expect(data.logs).toMatchObject([
      { name: "journal", recordCount: 300, lastWriteTime: "2026-04-24T03:11:40.000Z" },
      { name: "auth.log", recordCount: 60, displayName: join(dir, "auth.log") },
    ]);
  });

  it("reports no maximum size for journals and files", async () => {
    const { data } = await ask("eventlogs.list");
    expect(data.logs.map((log: Descriptor) => log.maxSize)).toEqual([0, 0]);
  });

  it("reports how far it searched unless it searched the whole log", async () => {
    const whole = await ask("eventlogs.query", { logName: "auth.log", page: 1, limit: 10 });
    expect(whole.data).not.toHaveProperty("searched");
    const long = Array.from({ length: 420 }, (_, n) => `${line(n % 60).trim()} ${"x".repeat(100_000)}\n`).join("");
    await appendFile(join(dir, "auth.log"), long);
    const none = await ask("eventlogs.query", { logName: "auth.log", page: 1, limit: 10, source: "nobody" });
    expect(none.data).toEqual({ events: [], total: 0, searched: { bytes: 33_554_432 } });
    const { data } = await ask("eventlogs.list");
    expect(data.logs[1]).toMatchObject({ searched: { bytes: 33_554_432 } });
    expect(data.logs[0]).not.toHaveProperty("searched");
  });

  it("reads the newest part of a file to its end for any line length", async () => {
    await writeFile(join(dir, "auth.log"), `${line(1)}${"\n".repeat(1_100_000)}${line(7)}`);
    const { data } = await ask("eventlogs.query", { logName: "auth.log", page: 1, limit: 10 });
    expect(data.events.map((event: Entry) => event.message)).toEqual(["ok 7"]);
    expect(data.searched).toEqual({ bytes: 1_000_000 - 1 + line(7).length });
  });

  it("pages a file newest first with the exact total", async () => {
    const first = await query({});
    expect([first.total, first.events[0]?.message, first.events[9]?.message]).toEqual([
      60,
      "ok 59",
      "error: failed 50",
    ]);
    expect((await query({ page: 6 })).events.map((e) => e.message).at(-1)).toBe("error: failed 0");
    expect((await query({ page: 7 })).events).toEqual([]);
    expect(first.events[0]).toMatchObject({
      source: "sshd",
      level: "information",
      category: "security",
      computer: "web01",
      eventId: 0,
    });
  });

  it("applies every filter", async () => {
    expect((await query({ level: "error" })).total).toBe(6);
    expect((await query({ source: "SSHD" })).total).toBe(30);
    expect((await query({ startTime: "2026-11-20T10:00:50.000Z" })).total).toBe(10);
    expect((await query({ endTime: "2026-11-20T10:00:04.000Z", source: "cron" })).events.map((e) => e.message)).toEqual(
      ["ok 4", "ok 2", "error: failed 0"],
    );
    expect((await query({ eventId: 4625 })).total).toBe(0);
    const journal = await query({ logName: "JOURNAL", level: "error", startTime: "2026-04-24T03:11:30.000Z" });
    expect(journal.events.map((e) => e.message)).toEqual(["m300", "m297", "m294", "m291"]);
  });

  it("finds a record by a valid ID", async () => {
    const [entry] = (await query({ page: 3 })).events as [Entry];
    expect(await ask("eventlogs.get", { logName: "Auth.Log", recordId: entry.recordId })).toEqual({
      ok: true,
      data: entry,
    });
    await appendFile(join(dir, "auth.log"), line(60));
    for (const params of [
      { logName: "auth.log", recordId: entry.recordId + 1 },
      { logName: "auth.log", recordId: 10 ** 9 },
      { logName: "journal", recordId: 999 },
      { logName: "none", recordId: 1 },
    ])
      expect(await ask("eventlogs.get", params)).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect((await ask("eventlogs.get", { logName: "journal", recordId: 7 })).data.message).toBe("m7");
  });

  it("reports unsupported commands and failures", async () => {
    expect(await ask("eventlogs.delete")).toMatchObject({ ok: false, error: { code: "unsupported" } });
    logs = [new FileProvider({ path: join(dir, "gone.log"), program: "x" })];
    expect(await ask("eventlogs.query", { logName: "gone.log", page: 1, limit: 1 })).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
    expect(findLog(logs, "GONE.LOG")).toBe(logs[0]);
  });
});

it("parses an event stream split at any point, counting comments as activity", async () => {
  const text = ': hello\n\nevent: command\r\ndata: {"a":\r\ndata: 1}\r\n\r\nid: 7\ndata:ü\n\n: bye';
  const bytes = new TextEncoder().encode(text);
  async function* cut() {
    for (const byte of bytes) yield Uint8Array.of(byte);
  }
  let activity = 0;
  const events = [];
  for await (const event of readEvents(cut(), () => activity++)) events.push(event);
  expect(events).toEqual([
    { event: "command", data: '{"a":\n1}' },
    { id: "7", event: undefined, data: "ü" },
  ]);
  expect(activity).toBe(bytes.length);
});

it("sends answers and reconnects a broken command stream", async () => {
  const streams: ServerResponse[] = [];
  const results: { path: string; body: unknown }[] = [];
  const server = await startHttpDouble(({ path, text }) => {
    if (path.endsWith("/commands")) return openStream;
    results.push({ path, body: JSON.parse(text) });
    return { status: 204 };
  });
  const openStream = (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": connected\n\n");
    streams.push(response);
  };
  const stopping = new AbortController();
  const keeping = keepCommandStream({
    url: server.url,
    agentId: "agent-1",
    token: "tma_x",
    diagnostics: new Diagnostics(),
    signal: stopping.signal,
    logs: fixedLogs(logs),
    random: () => 0.01,
  });
  const send = (at: number, id: string) =>
    streams[at]!.write(`event: command\ndata: ${JSON.stringify({ ...command("eventlogs.list", {}), id })}\n\n`);
  await expect.poll(() => streams.length).toBe(1);
  send(0, "first");
  await expect.poll(() => results.length).toBe(1);
  expect(results[0]).toMatchObject({ path: "/api/v1/agents/agent-1/commands/first/result", body: { ok: true } });
  streams[0]!.destroy();
  await expect.poll(() => streams.length).toBe(2);
  send(1, "second");
  await expect.poll(() => results.length).toBe(2);
  stopping.abort();
  await keeping;
  await server.close();
});
