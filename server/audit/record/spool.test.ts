import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { anyRow } from "@/testing/audit-entries";
import { tempFolder } from "@/testing/temp-folder";
import { decodeFrames, encodeFrame } from "./segment";
import { SEGMENT_BYTES, Spool } from "./spool";

let dir: string;
beforeEach(() => {
  dir = tempFolder();
});

const files = () =>
  readdirSync(dir).flatMap((folder) => readdirSync(join(dir, folder)).map((file) => join(dir, folder, file)));

async function readAll(spool: Spool) {
  const rows = [];
  for (let read = await spool.readCold(); read; read = await spool.readCold()) {
    rows.push(...read.rows);
    spool.settle(read.segment, read.rows.length);
  }
  return rows;
}

test("any event text survives the spool", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (names) => {
      const rows = names.map((name) => anyRow({ resourceName: name, details: { name } }));
      expect(decodeFrames(Buffer.from(rows.map(encodeFrame).join("")))).toEqual({ rows, damaged: 0 });
    }),
  );
});

test("a truncated spool file returns every event before the cut", () => {
  const rows = [anyRow(), anyRow({ resourceName: "é😀" }), anyRow()];
  const bytes = Buffer.from(rows.map(encodeFrame).join(""));
  for (let length = 0; length <= bytes.length; length += 7) {
    const whole = rows.filter(
      (_, i) =>
        Buffer.byteLength(
          rows
            .slice(0, i + 1)
            .map(encodeFrame)
            .join(""),
        ) <= length,
    );
    expect(decodeFrames(bytes.subarray(0, length)).rows).toEqual(whole);
  }
});

test("a damaged line does not affect its neighbors", () => {
  const rows = [anyRow(), anyRow(), anyRow()];
  const bytes = Buffer.from(rows.map(encodeFrame).join(""));
  bytes[Buffer.byteLength(encodeFrame(rows[0] as never)) + 30] = 0x21;
  expect(decodeFrames(bytes)).toEqual({ rows: [rows[0], rows[2]], damaged: 1 });
});

test("the next spool reads unsettled events, even after a torn write", async () => {
  const first = new Spool(dir);
  const rows = [anyRow(), anyRow()];
  first.append(rows.map(encodeFrame).join(""), 2, false);
  first.close();
  appendFileSync(files()[0] as string, '0123abcd {"torn');

  const second = new Spool(dir);
  expect(second.hasCold).toBe(true);
  expect(await readAll(second)).toEqual(rows);
  expect(second.damaged).toBe(1);
  second.close();
  expect(readdirSync(dir)).toEqual([]);
});

test("leaves the folder of a live spool alone", () => {
  const living = new Spool(dir);
  living.append(encodeFrame(anyRow()), 1, false);
  expect(new Spool(dir).hasCold).toBe(false);
});

test("adopts the folder of a dead process or host once", async () => {
  const spool = new Spool(dir);
  const rows = [anyRow(), anyRow()];
  spool.append(encodeFrame(rows[0] as never), 1, false);
  spool.close();
  const [own] = readdirSync(dir) as [string];
  renameSync(join(dir, own), join(dir, own.replace(/-\d+-/, "-4194000-")));

  const foreign = join(dir, "0123456789-7-12345~abcdef");
  const other = new Spool(dir);
  expect(await readAll(other)).toEqual([rows[0]]);
  other.append(encodeFrame(rows[1] as never), 1, false);
  other.close();
  renameSync(join(dir, (readdirSync(dir) as [string])[0]), foreign);
  utimesSync(foreign, new Date(), new Date());
  const third = new Spool(dir);
  expect(third.hasCold).toBe(false);
  utimesSync(foreign, new Date(0), new Date(0));
  third.adopt();
  expect(await readAll(third)).toEqual([rows[1]]);
  third.close();
});

test("deletes segments as their events settle, and rotates them", () => {
  const spool = new Spool(dir);
  const frame = encodeFrame(anyRow({ details: { big: "x".repeat(SEGMENT_BYTES / 2) } }));
  const segments = [1, 2, 3].map(() => spool.append(frame, 1, false));
  expect(spool.files).toBe(3);
  for (const segment of segments) if (segment) spool.settle(segment, 1);
  expect([spool.files, spool.bytes]).toEqual([1, 0]);
  spool.close();
});

test("reads events from disk in written order, including the open segment", async () => {
  const spool = new Spool(dir);
  const rows = Array.from({ length: 4 }, () => anyRow());
  spool.append(encodeFrame(rows[0] as never), 1, true);
  spool.append(encodeFrame(rows[1] as never), 1, true);
  const first = await spool.readCold();
  spool.append(encodeFrame(rows[2] as never), 1, true);
  expect(first?.rows).toEqual(rows.slice(0, 2));
  expect(await readAll(spool)).toEqual([rows[2]]);
  expect(spool.coldEvents).toBe(0);
});

test("reads a released chain while reading another segment, each once", async () => {
  const spool = new Spool(dir);
  const [held, cold] = [anyRow(), anyRow()];
  spool.hold(held.orgId, encodeFrame(held), 1);
  spool.append(encodeFrame(cold), 1, true);
  const first = spool.readCold();
  spool.release(held.orgId);
  expect((await first)?.rows).toEqual([cold]);
  expect(await readAll(spool)).toEqual([held]);
  expect(spool).toMatchObject({ coldEvents: 0, damaged: 0 });
});

test("a full spool rejects events until there is room again", () => {
  const spool = new Spool(dir, 2000);
  const frame = encodeFrame(anyRow());
  const segments = [];
  for (let segment = spool.append(frame, 1, false); segment; segment = spool.append(frame, 1, false))
    segments.push(segment);
  expect(segments.length).toBeGreaterThan(1);
  expect(spool.bytes).toBeLessThanOrEqual(2000);
  expect(readFileSync(files()[0] as string, "utf8").endsWith("\n")).toBe(true);
});

test("one flush covers all earlier writes for any number of callers", async () => {
  const spool = new Spool(dir);
  const waits = Array.from({ length: 50 }, () => {
    const segment = spool.append(encodeFrame(anyRow()), 1, false);
    return spool.sync().then(() => segment && spool.settle(segment, 1));
  });
  await Promise.all(waits);
  spool.close();
  expect(readdirSync(dir)).toEqual([]);
});

test.runIf(existsSync("/dev/full"))("reports the disk error until a write succeeds", async () => {
  const spool = new Spool(dir);
  const [own = ""] = readdirSync(dir);
  symlinkSync("/dev/full", join(dir, own, "00000001.log"));
  expect(spool.append(encodeFrame(anyRow()), 1, false)).toBeNull();
  expect(spool.fault).toBe("ENOSPC");
  const inMemory = spool.appendDeferred(encodeFrame(anyRow()), 1);
  await spool.written();
  expect([spool.fault, spool.failedWrites]).toEqual(["ENOSPC", 1]);
  const kept = spool.append(encodeFrame(anyRow()), 1, false);
  expect(kept).not.toBeNull();
  expect(spool.fault).toBe("");
  for (const segment of [inMemory, kept]) if (segment) spool.settle(segment, 1);
  spool.close();
});

test("leaves other files in the spool folder alone", () => {
  writeFileSync(join(dir, "dead-letter.log"), "x");
  new Spool(dir).close();
  expect(readdirSync(dir)).toEqual(["dead-letter.log"]);
});

test("writes deferred events to the file, and skips those already settled", async () => {
  const spool = new Spool(dir);
  expect(spool.written()).toBeNull();
  const rows = [anyRow(), anyRow(), anyRow()];
  for (const one of rows) spool.appendDeferred(encodeFrame(one), 1);
  await spool.written();
  expect(files().flatMap((file) => decodeFrames(readFileSync(file)).rows)).toEqual(rows);
  expect(spool.written()).toBeNull();
  const other = new Spool(mkdtempSync(join(dir, "other-")));
  const segment = other.appendDeferred(encodeFrame(anyRow()), 1);
  other.settle(segment as never, 1);
  other.close();
  await other.written();
  expect(other.failedWrites).toBe(0);
});

test("retries a failed disk with every heartbeat and reports its recovery", () => {
  const spool = new Spool(dir);
  const [own = ""] = readdirSync(dir);
  spool.fault = "ENOSPC";
  mkdirSync(join(dir, `${own}.probe`));
  expect(() => spool.heartbeat()).not.toThrow();
  expect(spool.fault).toBe("EISDIR");
  rmdirSync(join(dir, `${own}.probe`));
  spool.heartbeat();
  expect(spool.fault).toBe("");
  spool.close();
  expect(readdirSync(dir)).toEqual([]);
});
