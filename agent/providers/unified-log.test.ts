import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { event as storedEvent } from "@/server/devices/logs/event-log-schema";
import { tempFolder } from "@/testing/temp-folder";
import { toWireEvent } from "./provider";
import { microsecondsOf, toUnifiedRecord, UnifiedLogProvider } from "./unified-log";

const line = (over: object) =>
  JSON.stringify({
    traceID: 1126518,
    eventMessage: "failed to authenticate user jane",
    eventType: "logEvent",
    timestamp: "2026-11-20 10:00:00.123456+0100",
    messageType: "Error",
    subsystem: "com.apple.opendirectoryd",
    category: "auth",
    processImagePath: "/usr/libexec/opendirectoryd",
    processID: 88,
    threadID: 4711,
    userID: 0,
    ...over,
  });
const at = (micros: string, message: string) =>
  line({ timestamp: `2026-11-20 09:00:00.${micros}+0000`, eventMessage: message });

it("maps an entry of the unified log", () => {
  const record = toUnifiedRecord(line({}));
  expect(record).toMatchObject({
    recordId: microsecondsOf("2026-11-20 09:00:00.123456+0000"),
    time: new Date("2026-11-20T09:00:00.123Z"),
    level: "error",
    category: "security",
    source: "opendirectoryd",
    details: { pid: 88, subsystem: "com.apple.opendirectoryd" },
  });
  expect(storedEvent.safeParse(toWireEvent(record as never)).success).toBe(true);
  expect(toUnifiedRecord(line({ messageType: "Fault", subsystem: "", processImagePath: "/kernel" }))).toMatchObject({
    level: "critical",
    category: "system",
  });
  expect(toUnifiedRecord('{"count":2,"finished":1}')).toBeNull();
  expect(toUnifiedRecord("")).toBeNull();
});

/** Stands in for `log`: prints these lines, whatever is asked. */
async function commandPrinting(printed: string[]): Promise<string> {
  const command = join(tempFolder(), "log.cjs");
  await writeFile(
    command,
    `#!/usr/bin/env node\nprocess.stdout.write(${JSON.stringify(`${printed.join("\n")}\n`)});\n`,
  );
  await chmod(command, 0o755);
  return command;
}

it("batches continue exactly, even among simultaneous entries, and records can be found by ID", async () => {
  const command = await commandPrinting([
    at("000001", "a"),
    at("000002", "b"),
    at("000002", "c"),
    at("000002", "d"),
    at("900000", "e"),
    '{"finished":1}',
  ]);
  const log = new UnifiedLogProvider(command, () => new Date("2026-11-20T09:30:00Z"));
  const seen: string[] = [];
  let watermark: string | undefined;
  for (let more = true; more; ) {
    const reading = await log.read(watermark, 2);
    seen.push(...reading.records.map((record) => record.message));
    ({ watermark, more } = reading);
  }
  expect(seen).toEqual(["a", "b", "c", "d", "e"]);
  expect(await log.read(watermark, 2)).toEqual({ records: [], watermark, more: false });
  const page = await log.query({ page: 1, limit: 2 });
  expect([page.total, page.events.map((e) => e.message)]).toEqual([5, ["e", "d"]]);
  expect(await log.get(page.events[0]?.recordId as number)).toEqual(page.events[0]);
});

it("restarts an hour before now with a warning if the clock was set back", async () => {
  const ahead = line({ timestamp: "2030-01-01 00:00:00.000000+0000", eventMessage: "ahead" });
  const command = await commandPrinting([at("000001", "a"), at("000002", "b"), at("000003", "c"), ahead]);
  const whileAhead = new UnifiedLogProvider(command, () => new Date("2030-01-01T00:10:00Z"));
  const { watermark } = await whileAhead.read(`${microsecondsOf("2029-12-31 23:59:00.000000+0000")}:0`, 5);
  const corrected = new UnifiedLogProvider(command, () => new Date("2026-11-20T09:30:00Z"));
  const again = await corrected.read(watermark, 2);
  expect(again.records.map((record) => record.message)).toEqual(["a", "b"]);
  expect(again).toMatchObject({ more: true, warning: expect.stringMatching(/clock.*set back/) });
  const rest = await corrected.read(again.watermark, 2);
  expect(rest.records.map((record) => record.message)).toEqual(["c"]);
  expect(rest).toMatchObject({ more: false });
  expect(rest.warning).toBeUndefined();
  expect(await corrected.read(rest.watermark, 2)).toEqual({ records: [], watermark: rest.watermark, more: false });
});

it("reports the searched time if it differs from the requested one", async () => {
  const now = () => new Date("2026-11-20T09:30:00Z");
  const few = new UnifiedLogProvider(await commandPrinting([at("000001", "a")]), now);
  const none = { page: 1, limit: 1, source: "nobody" };
  expect(await few.query(none)).toEqual({ events: [], total: 0, searched: { from: "2026-11-20T08:30:00.000Z" } });
  expect(await few.query({ ...none, endTime: "2026-11-19T12:00:00Z" })).toMatchObject({
    searched: { from: "2026-11-19T11:00:00.000Z" },
  });
  expect(await few.query({ ...none, startTime: "2026-11-20T00:00:00Z" })).toEqual({ events: [], total: 0 });
  const many = new UnifiedLogProvider(await commandPrinting(Array(100_001).fill(at("000001", "a"))), now);
  const searched = { from: "2026-11-20T00:00:00.000Z", to: "2026-11-20T09:00:00.000Z" };
  expect(await many.query({ ...none, startTime: "2026-11-20T00:00:00Z" })).toMatchObject({ total: 0, searched });
  expect(await many.describe()).toMatchObject({
    recordCount: 100_000,
    searched: { from: "2026-11-20T08:30:00.000Z", to: searched.to },
  });
});
