import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AuditInsert } from "@/server/audit/row";
import { newId } from "@/server/ground/ids";
import { anyRow } from "@/testing/audit-entries";
import { elapsedMs, quickest } from "@/testing/quickest";
import { tempFolder } from "@/testing/temp-folder";
import { WRITE_TIMES } from "./pending-write";
import { Recorder } from "./recorder";

/** The database at the other end of the connection, as good or as bad as a test wants it. */
function peer(answer: (rows: AuditInsert[]) => Promise<void>) {
  const stored = new Set<string>();
  const append = async (rows: AuditInsert[]) => {
    await answer(rows);
    for (const row of rows) stored.add(row.id);
    return [];
  };
  return { stored, append, batches: () => 2, reset: () => {}, close: async () => {} };
}
const failure = (code: string) => Object.assign(new Error(code), { code });

/** A folder that cannot be had. */
function noDisk(): string {
  const file = join(dir, "file");
  writeFileSync(file, "");
  return join(file, "spool");
}

const row = (details?: Record<string, unknown>) => anyRow({ details });

let dir: string;
let running: Recorder[] = [];
beforeEach(() => {
  dir = tempFolder();
});
afterEach(async () => {
  await Promise.all(running.map((recorder) => recorder.stop(0)));
  running = [];
});

/** A disk that stands still for a moment, as others write to it, refuses nothing here. */
const PATIENT = { ...WRITE_TIMES, giveUp: 60_000 };

function start(connection: ReturnType<typeof peer>, folder: string | null = dir, times = PATIENT): Recorder {
  const recorder = new Recorder(connection, times);
  if (folder) recorder.start(folder);
  running.push(recorder);
  return recorder;
}

test("retries after a lost connection or deadlock until the batch is stored", async () => {
  const faults = ["CONNECTION_CLOSED", "ECONNREFUSED", "40P01", "57P01"];
  const database = peer(async () => {
    const code = faults.shift();
    if (code) throw failure(code);
  });
  const rows = [row(), row()];
  const recorder = start(database);
  await recorder.durably(rows);
  await recorder.flush(20_000);
  expect([...database.stored].sort()).toEqual(rows.map((r) => r.id).sort());
});

test("reports why the database rejects writes until it accepts one again", async () => {
  let code = "53100";
  const database = peer(async () => {
    if (code) throw failure(code);
  });
  const recorder = start(database);
  const fault = () => recorder.stats().writeFault;
  expect(fault()).toBeNull();
  await recorder.durably([row()]);
  await expect.poll(() => fault()?.ms).toBeGreaterThan(1_000);
  expect(fault()).toMatchObject({ code: "53100" });
  code = "22P02";
  await expect.poll(fault).toBeNull();
  expect(recorder.stats()).toMatchObject({ deadLettered: 1, queued: 0 });
  code = "53100";
  recorder.enqueue([row()]);
  await expect.poll(fault).toMatchObject({ code: "53100" });
  code = "";
  await expect.poll(fault).toBeNull();
  expect(database.stored.size).toBe(1);
});

test("a flushed spool answers callers while the database is frozen", async () => {
  const attempt = async () => {
    let thaw = () => {};
    const frozen = new Promise<void>((resolve) => {
      thaw = resolve;
    });
    const database = peer(() => frozen);
    const recorder = start(database, tempFolder());
    const first = await elapsedMs(() => recorder.durably([row()]));
    const next = await elapsedMs(async () => {
      for (let i = 0; i < 20; i++) await recorder.durably([row()]);
    });
    expect(database.stored.size).toBe(0);
    expect(recorder.stats()).toMatchObject({ behind: true, queued: 21 });
    thaw();
    await recorder.flush(20_000);
    expect(database.stored.size).toBe(21);
    expect(recorder.stats()).toMatchObject({ behind: false, queued: 0, dropped: 0 });
    return Math.max(first, next);
  };
  expect(await quickest(1500, attempt)).toBeLessThan(1500);
});

test("events with a waiting caller reach the spool only when the commit is late", async () => {
  const gates: (() => void)[] = [];
  const database = peer(() => new Promise((resolve) => gates.push(resolve)));
  const recorder = start(database);
  const { spoolBytes } = recorder.stats();
  const answer = recorder.durably([row(), row()]);
  expect(recorder.stats().spoolBytes).toBe(spoolBytes);
  expect(await answer).toEqual([]);
  expect(recorder.stats().spoolBytes).toBeGreaterThan(spoolBytes);
  for (const open of gates) open();
  await recorder.flush(5_000);
  expect(database.stored.size).toBe(2);
});

test("stores an event that arrives as the batch writer goes idle", async () => {
  const database = peer(async () => {});
  const recorder = start(database, null);
  for (let i = 1; i <= 50; i++) {
    recorder.enqueue([row()]);
    await recorder.flush(20_000);
    await recorder.durably([row()]);
    expect(database.stored.size).toBe(2 * i);
  }
});

test.each([
  { constraint_name: "audit_logs_org_seq_key" },
  { message: 'duplicate key value violates unique constraint "audit_logs_org_seq_key_102012"' },
  { message: "audit_chain_heads: a chain has rows but no head" },
])("holds events of a damaged chain, also when a cluster node reports it (%o)", async (told) => {
  const recorder = start(
    peer(async () => {
      throw Object.assign(failure("23505"), told);
    }),
  );
  await expect(recorder.durably([row()])).rejects.toMatchObject({ code: "unavailable" });
  expect(recorder.stats()).toMatchObject({ held: 1, deadLettered: 0, dropped: 0 });
});

const damage = Object.assign(failure("23505"), { constraint_name: "audit_logs_org_seq_key" });
/** A database that does not continue the chain of this organization until it is repaired; `takes` of its batches before. */
function damagedPeer(orgId: string, { takes = 0, poison = "" } = {}) {
  const state = { isRepaired: false, takes };
  const database = peer(async (rows) => {
    if (rows.some(({ id }) => id === poison)) throw failure("22P02");
    if (state.isRepaired || rows.every((one) => one.orgId !== orgId)) return;
    if (state.takes === 0) throw damage;
    state.takes -= 1;
  });
  return { ...database, repair: () => Object.assign(state, { isRepaired: true }) };
}
const sendAgain = { code: "unavailable", message: "Audit events cannot be stored right now; send them again." };
const areKept = { code: "unavailable", message: expect.stringContaining("do not send them again") };

test("a full disk returns held events to waiting callers and keeps the others", async () => {
  const { orgId } = row();
  const database = damagedPeer(orgId);
  const recorder = start(database, noDisk());
  for (const count of [2, 1, 100]) {
    const rows = Array.from({ length: count }, () => anyRow({ orgId }));
    await expect(recorder.durably(rows)).rejects.toMatchObject(sendAgain);
    await recorder.flush(20_000);
  }
  expect(recorder.stats()).toMatchObject({ held: 0, heldChains: 0, dropped: 0, queued: 0 });
  const kept = anyRow({ orgId });
  recorder.enqueue([kept]);
  await recorder.flush(20_000);
  expect(recorder.stats()).toMatchObject({ held: 1, heldChains: 1, dropped: 0, queued: 0 });
  await expect(recorder.durably([anyRow({ orgId })])).rejects.toMatchObject(sendAgain);
  database.repair();
  await expect.poll(() => recorder.stats().held).toBe(0);
  await recorder.flush(20_000);
  expect([...database.stored]).toEqual([kept.id]);
});

test("a request over a damaged and a sound chain is stored in the end without resending", async () => {
  const [damaged, sound] = [row().orgId, row().orgId];
  const database = damagedPeer(damaged);
  const recorder = start(database, noDisk());
  const requests = [
    [anyRow({ orgId: damaged }), anyRow({ orgId: sound })],
    [anyRow({ orgId: sound }), anyRow({ orgId: damaged })],
  ];
  for (const rows of requests) await expect(recorder.durably(rows)).rejects.toMatchObject(areKept);
  expect(recorder.stats()).toMatchObject({ held: 2, dropped: 0 });
  database.repair();
  await expect.poll(() => database.stored.size).toBe(4);
});

test("a request whose first batch was stored before the damage needs no resending", async () => {
  const { orgId } = row();
  const database = damagedPeer(orgId, { takes: 1 });
  const recorder = start(database, noDisk());
  const rows = Array.from({ length: 100 }, () => anyRow({ orgId }));
  await expect(recorder.durably(rows)).rejects.toMatchObject(areKept);
  database.repair();
  await expect.poll(() => database.stored.size).toBe(100);
  expect(recorder.stats()).toMatchObject({ held: 0, dropped: 0 });
});

test("keeps held events of a request that failed before the damage was found", async () => {
  const { orgId } = row();
  const rows = Array.from({ length: 40 }, () => anyRow({ orgId }));
  const database = damagedPeer(orgId, { poison: rows[0]?.id });
  const recorder = start(database, noDisk());
  await expect(recorder.durably(rows)).rejects.toMatchObject({ code: "internal" });
  await recorder.flush(20_000);
  expect(recorder.stats()).toMatchObject({ held: 39, dropped: 0, queued: 0 });
  database.repair();
  await expect.poll(() => database.stored.size).toBe(39);
});

test("sets aside and names one poison event, and stores its 499 neighbors", async () => {
  const bad = row({ poison: true });
  const database = peer(async (rows) => {
    if (rows.some((r) => r.id === bad.id)) throw failure("22P02");
  });
  const rows = Array.from({ length: 500 }, () => row());
  rows[123] = bad;
  const recorder = start(database);
  await expect(recorder.durably(rows)).rejects.toMatchObject({ code: "internal" });
  await recorder.flush(20_000);
  expect(database.stored.size).toBe(499);
  expect(readFileSync(join(dir, "dead-letter.log"), "utf8")).toContain(bad.id);
});

test("events queued behind a held chain do not wait for its repair", async () => {
  const damaged = row();
  const database = damagedPeer(damaged.orgId);
  const recorder = start(database);
  await expect(recorder.durably([damaged])).rejects.toMatchObject({ code: "unavailable" });
  const held = Array.from({ length: 60 }, () => anyRow({ orgId: damaged.orgId }));
  const other = row();
  recorder.enqueue([...held, other]);
  await expect.poll(() => [...database.stored]).toEqual([other.id]);
  expect(recorder.stats()).toMatchObject({ held: 61, queued: 0 });
});

test("a new recorder writes the events that a stopped one could not, once", async () => {
  const away = peer(async () => {
    throw failure("ECONNREFUSED");
  });
  const rows = Array.from({ length: 700 }, () => row());
  const first = start(away);
  for (const one of rows) first.enqueue([one]);
  await first.stop(50);
  const seen: string[] = [];
  const back = peer(async (batch) => void seen.push(...batch.map((r) => r.id)));
  const second = start(back);
  const late = row();
  second.enqueue([late]);
  await second.flush(20_000);
  expect(seen).toEqual([...rows, late].map((r) => r.id));
});

test("bounds memory: further events stay on disk and follow in order", async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const seen: string[] = [];
  const database = peer(async (batch) => {
    await gate;
    seen.push(...batch.map((r) => r.id));
  });
  const recorder = start(database);
  const rows = Array.from({ length: 60 }, () => row({ big: "x".repeat(60_000) }));
  const many = Array.from({ length: 25 }, () => rows.map((r) => ({ ...r, id: newId() }))).flat();
  for (const one of many) recorder.enqueue([one]);
  expect(recorder.stats().queuedBytes).toBeLessThanOrEqual(32 * 1024 * 1024);
  expect(recorder.stats().queued).toBe(many.length);
  open();
  await recorder.flush(60_000);
  expect(seen).toEqual(many.map((r) => r.id));
  expect(recorder.stats()).toMatchObject({ dropped: 0, queued: 0 });
});

test("reaches the database without a spool, and counts losses when memory is full", async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const database = peer(() => gate);
  const recorder = start(database, null);
  for (let i = 0; i < 20_100; i++) recorder.enqueue([row()]);
  const { dropped, recorded } = recorder.stats();
  expect(dropped).toBeGreaterThan(0);
  // A caller that is asked to send them again has lost nothing.
  await expect(recorder.durably([row()])).rejects.toMatchObject({ code: "unavailable" });
  expect(recorder.stats()).toMatchObject({ dropped, recorded });
  open();
  await recorder.flush(20_000);
  expect(database.stored.size).toBe(recorded);
  expect(recorded + dropped).toBe(20_100);
});

test("rejects a durable event when neither database nor spool accepts it", async () => {
  const recorder = start(
    peer(() => new Promise(() => {})),
    null,
    WRITE_TIMES,
  );
  const attempt = () =>
    elapsedMs(() => expect(recorder.durably([row()])).rejects.toMatchObject({ code: "unavailable" }));
  expect(await quickest(4000, attempt)).toBeLessThan(4000);
});
