import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { tempFolder } from "@/testing/temp-folder";
import { fieldText, toRecord } from "./journal-entry";
import { hasJournal, JournaldProvider } from "./journald";
import { toWireEvent } from "./provider";

const entry = (n: number, over: object = {}) => ({
  __CURSOR: `s=aa;i=${n.toString(16)};b=b007;m=1;t=2;x=3`,
  __REALTIME_TIMESTAMP: String(1_777_000_000_000_000 + n),
  PRIORITY: "4",
  SYSLOG_IDENTIFIER: "sshd",
  SYSLOG_FACILITY: "4",
  MESSAGE: `m${n}`,
  _HOSTNAME: "web01",
  _PID: "812",
  _TRANSPORT: "syslog",
  ...over,
});

describe("toRecord", () => {
  it("maps a journal entry", () => {
    expect(toRecord(entry(10))).toMatchObject({
      logName: "journal",
      recordId: 10,
      time: new Date(1_777_000_000_000),
      level: "warning",
      category: "security",
      source: "sshd",
      message: "m10",
      computer: "web01",
      details: { pid: 812, transport: "syslog" },
    });
  });

  it("reads bytes, repeated values and missing fields", () => {
    expect(fieldText([104, 105])).toBe("hi");
    expect(fieldText(["first", "second"])).toBe("first\nsecond");
    expect(fieldText("  ")).toBe("");
    expect(fieldText([[104, 105], "x"])).toBe("hi\nx");
    expect(fieldText(null)).toBe("");
    const bare = toRecord({
      __CURSOR: "odd",
      __REALTIME_TIMESTAMP: "0",
      _TRANSPORT: "kernel",
      MESSAGE: "usb 1-1: new",
    });
    expect(bare).toMatchObject({ source: "kernel", category: "hardware", level: "information" });
  });
});

/** Stands in for journalctl: leaves long fields out as it does without --all, prints entries 1 to 1500 after the cursor, fails on a cursor that it does not know. */
const SCRIPT = `#!/usr/bin/env node
const arg = (name) => process.argv.find((a) => a.startsWith(name))?.slice(name.length);
const cursor = arg("--after-cursor=");
if (cursor?.includes("gone")) process.exit(1);
const entries = JSON.parse(require("node:fs").readFileSync(__filename.replace(/[^/]*$/, "entries.json"), "utf8"));
const since = Number(arg("--since=@") ?? 0) * 1e6;
const at = cursor ? entries.findIndex((e) => e.__CURSOR === cursor) + 1 : 0;
const last = process.argv.includes("-n") ? Number(process.argv[process.argv.indexOf("-n") + 1]) : entries.length;
const shown = process.argv.includes("--all") ? (_, value) => value : (_, value) => (value?.length > 4096 ? null : value);
for (const e of entries.slice(at).filter((e) => e.__REALTIME_TIMESTAMP >= since).slice(-last)) console.log(JSON.stringify(e, shown));
`;

describe("JournaldProvider", () => {
  let command: string;
  let dir: string;
  beforeEach(async () => {
    dir = tempFolder();
    command = join(dir, "journalctl.cjs");
    await writeFile(command, SCRIPT, { mode: 0o755 });
    await writeFile(join(dir, "entries.json"), JSON.stringify(Array.from({ length: 1500 }, (_, i) => entry(i + 1))));
  });

  it("is used only if a journal has entries", async () => {
    expect(await hasJournal(command)).toBe(true);
    await writeFile(join(dir, "entries.json"), "[]");
    expect(await hasJournal(command)).toBe(false);
    expect(await hasJournal(join(dir, "none"))).toBe(false);
  });

  it("reads the newest 1,000 entries in batches, oldest first, then new ones", async () => {
    const provider = new JournaldProvider(command);
    const first = await provider.read(undefined, 500);
    expect(first.records.map((r) => r.recordId)).toEqual(Array.from({ length: 500 }, (_, i) => i + 501));
    expect(first.more).toBe(true);
    const second = await provider.read(first.watermark, 500);
    expect(second.records.at(-1)?.recordId).toBe(1500);
    expect(second.more).toBe(false);
    expect(await provider.read(second.watermark, 500)).toEqual({
      records: [],
      watermark: second.watermark,
      more: false,
    });
  });

  it.each([
    ["a stack trace", "at f (x.js:1)\n".repeat(1000), "at f (x.js:1)\n".repeat(1000)],
    ["bytes that are not UTF-8", [...Buffer.from("trace ".repeat(2000)), 0xe9], `${"trace ".repeat(2000)}\uFFFD`],
    ["megabytes of text", 'é"\\\n'.repeat(500_000), 'é"\\\n'.repeat(8192)],
    ["megabytes of bytes", Array(2_000_000).fill(120), "x".repeat(32_768)],
    ["several texts", ["y".repeat(3_000_000), "z"], "y".repeat(32_768)],
  ])("keeps %s up to the length of an event", async (_, message, expected) => {
    // Members come in any order; here the cursor comes after the message.
    const { MESSAGE: _text, ...others } = entry(2);
    const long = { MESSAGE: message, ...others, PRIORITY: "3" };
    await writeFile(join(dir, "entries.json"), JSON.stringify([entry(1), long, entry(3)]));
    const provider = new JournaldProvider(command);
    const { records } = await provider.read(undefined, 500);
    expect(records.map(({ recordId, level }) => [recordId, level])).toEqual([
      [1, "warning"],
      [2, "error"],
      [3, "warning"],
    ]);
    expect(records.map((record) => toWireEvent(record).message)).toEqual(["m1", expected, "m3"]);
    const { events } = await provider.query({ page: 1, limit: 10 });
    expect(events.map((event) => event.message)).toEqual(["m1", expected, "m3"]);
  });

  it("continues by time if the journal no longer has the cursor", async () => {
    const lost = JSON.stringify({ cursor: "s=gone", time: 1_777_000_000_000 });
    expect((await new JournaldProvider(command).read(lost, 5)).records).toHaveLength(5);
  });

  it("restarts an hour back with a warning if the clock was set back", async () => {
    const lost = JSON.stringify({ cursor: "s=gone", time: Date.UTC(2030, 0, 1) });
    const reading = await new JournaldProvider(command, () => new Date(1_777_000_600_000)).read(lost, 5);
    expect(reading.records.map((r) => r.recordId)).toEqual([1, 2, 3, 4, 5]);
    expect(reading.warning).toMatch(/clock.*set back/);
  });

  it("reports a search limited to the newest 100,000 entries", async () => {
    const whole = await new JournaldProvider(command).query({ page: 1, limit: 1, source: "nobody" });
    expect(whole).toEqual({ events: [], total: 0 });
    const one = JSON.stringify(entry(1));
    await writeFile(
      command,
      `#!/usr/bin/env node\nprocess.stdout.write(${JSON.stringify(`${one}\n`)}.repeat(100000));\n`,
    );
    const capped = await new JournaldProvider(command).query({ page: 1, limit: 1, source: "nobody" });
    expect(capped).toEqual({ events: [], total: 0, searched: { entries: 100_000 } });
  });
});
