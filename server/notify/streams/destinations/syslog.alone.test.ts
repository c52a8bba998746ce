import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { sentenceText } from "@/server/audit/sentence";
import { rfc5424 } from "@/server/notify/streams/formats/rfc5424";
import { listen, portOf } from "@/testing/port-of";
import { createBatch, LOOPBACK_SETTINGS, withConfig } from "@/testing/streams/batches";
import { createCertificates } from "@/testing/streams/certificates";
import { entryOf, STREAM_HOST, STREAM_ORG } from "@/testing/streams/entries";
import { markerOf } from "@/testing/streams/file";
import { type Parsed, startRsyslog, whyNoRsyslog } from "@/testing/streams/syslog-receiver";
import { tempFolder } from "@/testing/temp-folder";
import { relp } from "./relp";
import { syslogTls } from "./syslog-tls";

const folder = tempFolder();
const { ca, server, client } = createCertificates(folder);
beforeAll(() => void Object.assign(process.env, LOOPBACK_SETTINGS));

const open: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const one of open.splice(0)) one.close();
});

async function listening(one: Server): Promise<number> {
  one.on("connection", (socket: Socket) => void sockets.add(socket.on("error", () => {})));
  await listen(one);
  open.push(one);
  return portOf(one);
}

const host = "127.0.0.1";

const ENTRIES = [
  entryOf(),
  entryOf({ resource_name: 'quote " backslash \\ bracket ] end', user_agent: "\\", error_message: ']"' }),
  entryOf({ action: "an action of another program", resource_name: "Ünïcode 😀", result: "denied" }),
  entryOf({ details: `{"n": 9007199254740993, "text": "${"]\\\\".repeat(4000)}"}` }),
];

describe.skipIf(whyNoRsyslog)(`a real rsyslogd${whyNoRsyslog ? ` (skipped: ${whyNoRsyslog})` : ""}`, () => {
  let rsyslog: Awaited<ReturnType<typeof startRsyslog>>;
  beforeAll(async () => {
    rsyslog = await startRsyslog(folder);
  });
  afterAll(() => rsyslog.stop());

  const tls = () => ({ host, port: rsyslog.ports.tls, ca, certificate: client.cert });
  const plain = () => ({ host, port: rsyslog.ports.relp, tls: false });

  it("receives syslog over TLS unchanged", async () => {
    const stream = withConfig(syslogTls, tls(), { secret: client.key });
    const batch = createBatch({ rows: 1_000 });
    expect(await stream.send(batch)).toEqual({ kind: "acknowledged", receipt: { sent: 1_001 } });
    await vi.waitFor(() => expect(rsyslog.linesOf("tls")).toHaveLength(1_001), 30_000);
    const [first = ""] = rsyslog.linesOf("tls");
    expect(first).toContain("northwind|trailmark|-|-|");
    expect(first.slice(first.indexOf("{"))).toBe(batch.lines[0]?.text);
  });

  it("parses RFC 5424 messages as intended", async () => {
    const origin = `${STREAM_HOST}/log/${STREAM_ORG.id}`;
    const marker = markerOf({ entries: ENTRIES.slice(0, 1), filtered: [2] });
    const batch = createBatch({ rows: ENTRIES.length });
    for (const [i, text] of [...ENTRIES.map(rfc5424.entry), rfc5424.marker(marker, origin)].entries())
      Object.assign(batch.lines[i] ?? {}, { text });
    expect(await withConfig(syslogTls, tls(), { secret: client.key }).send(batch)).toMatchObject({
      kind: "acknowledged",
    });
    await vi.waitFor(() => expect(rsyslog.parsed()).toHaveLength(ENTRIES.length + 1), 30_000);
    for (const [i, { entry, row }] of ENTRIES.entries()) {
      const { sd, msg, ...head } = rsyslog.parsed()[i] as Parsed;
      const data = sd["trailmark@32473"] ?? {};
      const pri = entry.result === "denied" ? "109" : "110";
      const msgid = entry.action.includes(" ") ? "-" : entry.action;
      expect(head).toEqual({ host: STREAM_HOST, app: "trailmark", msgid, pri });
      expect(data).toMatchObject({
        org: entry.orgId,
        seq: "2",
        id: entry.id,
        checksum: entry.checksum,
        prev: entry.prevChecksum,
        action: entry.action,
        resource: entry.resource.name,
        userAgent: entry.userAgent,
      });
      expect(data.cut ? row.details?.startsWith(data.details ?? "?") : data.details === row.details).toBe(true);
      expect(msg.replace(/^\ufeff/, "")).toBe(sentenceText(entry, STREAM_ORG.name));
    }
    const end = rsyslog.parsed().at(-1)?.sd["trailmark@32473"]?.marker;
    expect(JSON.parse(end ?? "null")).toEqual({ ...marker, origin });
  });

  it("rejects a missing client certificate, and the check reports it", async () => {
    const stream = withConfig(syslogTls, { host, port: rsyslog.ports.tls, ca });
    expect((await stream.send(createBatch())).kind).not.toBe("acknowledged");
    expect((await stream.check()).at(-1)).toMatchObject({ ok: false });
  });

  it("acknowledges each RELP message", async () => {
    const stream = withConfig(relp, plain());
    expect((await stream.check()).at(-1)).toMatchObject({ step: "acknowledge", ok: true });
    const outcome = await stream.send(createBatch({ rows: 2_000 }));
    expect(outcome).toEqual({ kind: "acknowledged", receipt: { acknowledged: 2_001 } });
    await vi.waitFor(() => expect(rsyslog.linesOf("relp")).toHaveLength(2_002), 30_000);
  });

  it("loses no RELP message when rsyslogd is killed", async () => {
    const stream = withConfig(relp, plain());
    const batch = createBatch({ rows: 20_000, first: 100_000 });
    const sending = stream.send(batch);
    await vi.waitFor(() => expect(rsyslog.linesOf("relp").length).toBeGreaterThan(4_000), 30_000);
    await rsyslog.kill();
    expect(await sending).toMatchObject({ kind: "again" });
    await rsyslog.start();
    expect(await stream.send(batch)).toMatchObject({ kind: "acknowledged" });
    const stored = () => new Set(rsyslog.linesOf("relp").map((text) => /"chainSeq":(\d{6})/.exec(text)?.[1])).size - 1;
    await vi.waitFor(() => expect(stored()).toBe(20_000), 30_000);
  });
});

describe("syslog over TLS", () => {
  it("rejects an unknown CA or host name", async () => {
    const port = await listening(createTlsServer(server, (socket) => socket.on("error", () => {}).resume()));
    const stranger = withConfig(syslogTls, { host, port });
    expect(await stranger.send(createBatch())).toMatchObject({ kind: "blocked", code: "untrusted_certificate" });
    expect((await stranger.check()).map(({ step, ok }) => [step, ok])).toEqual([["tls", false]]);
  });

  it("resends the batch after the receiver drops the connection", async () => {
    const cutting = createTlsServer(server, (socket) =>
      socket.once("data", () => {
        for (const one of sockets) one.resetAndDestroy();
      }),
    );
    const port = await listening(cutting);
    const stream = withConfig(syslogTls, { host, port, ca });
    expect(await stream.send(createBatch({ rows: 1_000 }))).toMatchObject({ kind: "again" });
  });

  it("times out when the receiver never reads", async () => {
    const port = await listening(createServer());
    const signal = AbortSignal.timeout(500);
    const stream = withConfig(syslogTls, { host, port, ca }, { signal });
    expect(await stream.send(createBatch())).toMatchObject({ kind: "again" });
  });
});

describe("RELP", () => {
  /** Answers frames as a receiver does: `answer` gives the text, or null for none. */
  async function receiver(answer: (transaction: number, command: string) => string | null): Promise<number> {
    const serve = (socket: Socket) => {
      let text = "";
      const told: string[] = [];
      const read = (): boolean => {
        const [whole, transaction, command, length] = /^(\d+) ([a-z]+) (\d+)(?=[ \n])/.exec(text) ?? [];
        if (!whole || !command) return false;
        const end = whole.length + (length === "0" ? 1 : Number(length) + 2);
        if (text.length < end) return false;
        text = text.slice(end);
        const one = answer(Number(transaction), command);
        if (one !== null) told.push(`${transaction} rsp ${one.length} ${one}\n`);
        return true;
      };
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
        while (read());
        // In pieces, as networks cut.
        const all = told.splice(0).join("");
        socket.write(all.slice(0, 5));
        setImmediate(() => socket.write(all.slice(5)));
      });
    };
    return listening(createServer(serve));
  }

  it("resends the batch when the receiver rejects a message", async () => {
    const port = await receiver((transaction) => (transaction === 3 ? "500 disk full" : "200 OK"));
    expect(await withConfig(relp, { host, port, tls: false }).send(createBatch())).toEqual({
      kind: "again",
      code: "500",
      message: "The receiver refused 1 messages: 500 disk full",
    });
  });

  it("keeps at most 128 messages in flight", async () => {
    let asked = 0;
    const port = await receiver((_, command) => (command === "syslog" && ++asked ? null : "200 OK"));
    const signal = AbortSignal.timeout(1_500);
    const sending = withConfig(relp, { host, port, tls: false }, { signal }).send(createBatch({ rows: 500 }));
    await vi.waitFor(() => expect(asked).toBe(128));
    await wait(200);
    expect(asked).toBe(128);
    expect(await sending).toMatchObject({ kind: "again" });
  });

  it("rejects a receiver with another protocol", async () => {
    const port = await listening(createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n".repeat(9))));
    expect(await withConfig(relp, { host, port, tls: false }).send(createBatch())).toMatchObject({
      kind: "again",
      message: "The receiver does not answer as RELP does.",
    });
  });
});
