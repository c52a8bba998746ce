import { createHash, randomUUID } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { appendAudit } from "@/server/audit/record/append";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { originOfOrg, type StoredNote, signStatement } from "@/server/evidence/checkpoints/stored-note";
import { insertTiles } from "@/server/evidence/checkpoints/tiles";
import { loadBuilder } from "@/server/evidence/checkpoints/tree-builder";
import { checkpointText } from "@/server/evidence/tree/statement";
import { env } from "@/server/ground/env";
import { auditRows, roles, tamper, tamperBy } from "@/testing/chain";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { clearAlarm, openAlarms, raiseAlarm } from "./alarm";
import { checkTiles } from "./check-tiles";
import { verifyBetween, verifyIntegrity } from "./integrity";
import { judgeChain, ownNote } from "./judge";
import { runNightly, verifyNightly } from "./nightly";
import { verifyWhole } from "./runs";
import { readState } from "./state";
import { getIntegrityStatus } from "./status";
import { readProgress } from "./verifications";

const SYSTEM = { kind: "system" } as const;
const START = Date.now() - 3_600_000;
const at = (seq: number) => new Date(START + seq * 1_000);

/** A chain with an entry a second, signed and read by a night. */
async function chain(rows: number): Promise<string> {
  const { id } = await createOrg();
  await appendAudit(
    roles.app,
    auditRows(id, rows).map((row, i) => ({ ...row, timestamp: at(i + 1).toISOString() })),
  );
  expect(await verifyNightly(id)).toMatchObject({ status: "intact", covered: { lastSeq: rows } });
  return id;
}

const whole = async (id: string) => (await judgeChain(id)).status;
const bySeq = async (id: string, fromSeq: number, toSeq: number) => (await judgeChain(id, { fromSeq, toSeq })).status;
const byTime = async (id: string, first: number, last: number) =>
  (await verifyBetween(id, { from: at(first), to: at(last) })).found.status;
const nightly = async (id: string) => (await verifyNightly(id))?.status;

/** Each way to ask about entries that are gone, or are beside what is gone. */
const questions = (id: string, [from, to]: readonly [number, number]) => ({
  whole: () => whole(id),
  "the entries themselves": () => bySeq(id, from, to),
  "beyond them": () => bySeq(id, Math.max(1, from - 3), Math.min(100, to + 3)),
  "their first": () => bySeq(id, Math.max(1, from - 5), from),
  "their times": () => byTime(id, from, to),
  "other times": () => byTime(id, 1, 2),
  "the night": () => nightly(id),
});

describe("deleting entries from a chain of 100", () => {
  it("makes every kind of verification broken until they are restored", async () => {
    const id = await chain(100);
    for (const gone of [
      [1, 1],
      [100, 100],
      [50, 50],
      [1, 99],
      [2, 100],
      [1, 100],
      [30, 34],
      [4, 7],
      [97, 100],
    ] as const) {
      const kept = await tamper(async (tx) => {
        const [row] = await tx<{ rows: unknown }[]>`
          SELECT jsonb_agg(a) AS rows FROM audit_logs a WHERE org_id = ${id} AND chain_seq BETWEEN ${gone[0]} AND ${gone[1]}`;
        await tx`DELETE FROM audit_logs WHERE org_id = ${id} AND chain_seq BETWEEN ${gone[0]} AND ${gone[1]}`;
        return JSON.stringify(row?.rows);
      });
      for (const [name, ask] of Object.entries(questions(id, gone)))
        expect([gone, name, await ask()]).toEqual([gone, name, "broken"]);
      await tamper(
        (tx) =>
          tx`INSERT INTO audit_logs SELECT * FROM jsonb_populate_recordset(NULL::audit_logs, ${kept}::text::jsonb)`,
      );
      expect([gone, await whole(id)]).toEqual([gone, "intact"]);
    }
    // The night raised the alarm: a range does not end it, and the state says broken until a whole chain is read.
    expect((await readState(SYSTEM, id)).state).toMatchObject({ status: "broken" });
  });
});

it("an entry that leaves a time range during verification and returns is still counted", async () => {
  const id = await chain(20);
  const redate = (to: Date) =>
    tamper((tx) => tx`UPDATE audit_logs SET "timestamp" = ${to.toISOString()} WHERE org_id = ${id} AND chain_seq = 5`);
  // The change falls between the shared reading of the chain and the count of the range.
  const leave = verifyWhole(id, { inSnapshot: () => redate(at(-500)).then(() => {}) });
  const { found, whole } = await verifyBetween(id, { from: at(1), to: at(10) });
  expect(whole).toBe(await leave);
  await redate(at(5));
  expect(found).toMatchObject({ status: "intact", rowsChecked: 10, firstSeq: 1, lastSeq: 10 });
});

describe("records beside the rows", () => {
  const HEADS = {
    "the head deleted": "DELETE FROM audit_chain_heads WHERE org_id = 'ID'",
    "the head lowered": "UPDATE audit_chain_heads SET seq = 90 WHERE org_id = 'ID'",
    "the head raised": "UPDATE audit_chain_heads SET seq = 400 WHERE org_id = 'ID'",
    "the head's checksum altered": "UPDATE audit_chain_heads SET checksum = repeat('0', 64) WHERE org_id = 'ID'",
  };
  const TREE = {
    "a tile's hash altered": "UPDATE audit_tree_tiles SET hash = sha256('x') WHERE org_id = 'ID' AND level = 0",
    "a tile's leaf altered":
      "UPDATE audit_tree_tiles SET leaves = overlay(leaves PLACING sha256('x') FROM 33) WHERE org_id = 'ID' AND level = 0",
  };

  it.each(Object.entries(HEADS))("%s makes whole and nightly verification broken", async (_, statement) => {
    const id = await chain(100);
    await tamperBy(statement.replaceAll("ID", id));
    expect([await whole(id), await nightly(id)]).toEqual(["broken", "broken"]);
  });

  it("a head that claims unreceipted pruning does not count as pruned", async () => {
    const { id } = await createOrg();
    await appendAudit(roles.app, auditRows(id, 20));
    await tamper(async (tx) => {
      await tx`DELETE FROM audit_logs WHERE org_id = ${id} AND chain_seq <= 9`;
      await tx`UPDATE audit_chain_heads SET pruned_through_seq = 9 WHERE org_id = ${id}`;
    });
    const auditor = await ctxFor(await createUser({ orgId: id, role: "org_admin" }));
    expect(await getIntegrityStatus.run(auditor, { orgId: id })).toMatchObject({
      head: { seq: 20 },
      prunedThroughSeq: 0,
    });
    expect([await whole(id), await nightly(id)]).toEqual(["broken", "broken"]);
  });

  it.each(Object.entries(TREE))("%s is reported broken the same night, naming the tile", async (_, statement) => {
    const id = await chain(600);
    await tamperBy(`${statement.replaceAll("ID", id)} AND idx = 1`);
    const found = await verifyNightly(id);
    expect(found).toMatchObject({ status: "broken", breaks: [{ seq: 257, kind: "altered" }] });
    expect(found?.breaks[0]?.expected).toContain("tile 0/1 of the tree (entries 257 to 512)");
  });

  it("a deleted tile is reported missing at its first entry", async () => {
    const id = await chain(600);
    await tamperBy(`DELETE FROM audit_tree_tiles WHERE org_id = '${id}' AND level = 0 AND idx = 1`);
    expect(await verifyNightly(id)).toMatchObject({ status: "broken", breaks: [{ seq: 257, kind: "missing" }] });
  });

  it("altered or deleted database notes have no effect while the folder has them", async () => {
    for (const statement of [
      "DELETE FROM audit_notes WHERE org_id = 'ID'",
      "UPDATE audit_notes SET note = replace(note, 'signed-at 2', 'signed-at 3') WHERE org_id = 'ID'",
    ]) {
      const id = await chain(20);
      await tamper((tx) => tx.unsafe(statement.replace("ID", id)));
      expect(await whole(id)).toBe("intact");
    }
  });

  it("a folder restored from backup catches up; one ahead of the database is broken", async () => {
    const id = await chain(20);
    const latest = join(env().TRAILMARK_DATA_DIR, "checkpoints", id, "latest");
    const old = readFileSync(latest);
    await appendAudit(roles.app, auditRows(id, 10));
    await signCheckpoint(id);
    const newer = readFileSync(latest);
    writeFileSync(latest, old);
    expect(await whole(id)).toBe("intact");
    writeFileSync(latest, newer);
    await tamper(async (tx) => {
      await tx`DELETE FROM audit_logs WHERE org_id = ${id} AND chain_seq > 20`;
      await tx`DELETE FROM audit_notes WHERE org_id = ${id} AND size > 20`;
      await tx`UPDATE audit_chain_heads h SET seq = 20,
        checksum = (SELECT checksum FROM audit_logs a WHERE a.org_id = h.org_id AND chain_seq = 20) WHERE org_id = ${id}`;
    });
    expect([await whole(id), await nightly(id)]).toEqual(["broken", "broken"]);
  });
});

it("losing every checkpoint is reported and does not hide an earlier rollback", async () => {
  const id = await chain(20);
  const forget = async () => {
    rmSync(join(env().TRAILMARK_DATA_DIR, "checkpoints", id), { recursive: true });
    await tamper((tx) => tx`DELETE FROM audit_notes WHERE org_id = ${id}`);
  };
  await forget();
  expect(await signCheckpoint(id)).toMatchObject({ kind: "signed", warnings: [{ seq: 20, kind: "truncated" }] });
  await forget();
  await tamper(async (tx) => {
    await tx`DELETE FROM audit_logs WHERE org_id = ${id} AND chain_seq > 15`;
    await tx`UPDATE audit_chain_heads h SET seq = 15,
      checksum = (SELECT checksum FROM audit_logs a WHERE a.org_id = h.org_id AND chain_seq = 15) WHERE org_id = ${id}`;
  });
  expect(await judgeChain(id)).toMatchObject({ status: "broken", breaks: [{ seq: 16, kind: "truncated" }] });
});

/** The tiles of a log of so many entries, and its checkpoint. */
async function storeTree(size: number): Promise<StoredNote> {
  const orgId = randomUUID();
  const signedAt = new Date().toISOString();
  const root = await asSystem(async (tx) => {
    await tx.execute(sql`INSERT INTO audit_trees (org_id) VALUES (${orgId})`);
    const builder = await loadBuilder(tx, orgId, 0);
    while (builder.size < size) builder.append(createHash("sha256").update(String(builder.size)).digest("hex"));
    await insertTiles(tx, orgId, builder.takeFull());
    return builder.root();
  });
  const origin = originOfOrg(orgId);
  const note = signStatement(origin, checkpointText({ origin, size, root, signedAt }));
  return { orgId, kind: "checkpoint", size, signedAt, note };
}

it.each([
  { level: 0, idx: 5 },
  { level: 0, idx: 255 },
  { level: 0, idx: 256 },
  { level: 1, idx: 0 },
])("reports missing tile $level/$idx, even below a full tile", async ({ level, idx }) => {
  const note = await storeTree(65_536 + 256);
  expect(await checkTiles(note, { slice: null })).toEqual([]);
  await tamper(
    (tx) => tx`DELETE FROM audit_tree_tiles WHERE org_id = ${note.orgId} AND level = ${level} AND idx = ${idx}`,
  );
  expect(await checkTiles(note, { slice: null })).toMatchObject([{ kind: "missing" }]);
});

describe("a log truncated after its head was signed and before it was read", () => {
  const cutTo = (id: string, last: number) =>
    tamper(async (tx) => {
      await tx`DELETE FROM audit_logs WHERE org_id = ${id} AND chain_seq > ${last}`;
      await tx`DELETE FROM audit_chain_heads WHERE org_id = ${id}`;
      await tx`INSERT INTO audit_chain_heads (org_id, seq, checksum)
        SELECT org_id, chain_seq, checksum FROM audit_logs WHERE org_id = ${id} AND chain_seq = ${last}`;
    });

  it.each([300, 0])("is broken with %i of 512 entries left, whole and by sequence", async (left) => {
    const id = await chain(512);
    const note = await ownNote(id, new Date());
    await cutTo(id, left);
    for (const part of [{}, { fromSeq: 1, toSeq: 80 }, { fromSeq: 200, toSeq: 512 }])
      expect(await judgeChain(id, part, note), JSON.stringify(part)).toMatchObject({
        status: "broken",
        covered: { lastSeq: null },
      });
    expect((await judgeChain(id, {}, note)).breaks).toMatchObject([{ seq: left + 1, kind: "truncated" }]);
  });
});

it("a changed database guard makes a log broken the same night", async () => {
  const id = await chain(20);
  const hollow =
    "CREATE OR REPLACE FUNCTION audit_thin_notes(org uuid) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS 'SELECT 0::bigint'";
  const file = readFileSync("db/functions/chain/audit_thin_notes.sql", "utf8").split("GRANT")[0] ?? "";
  await roles.owner.unsafe(hollow);
  try {
    const { organizations } = await runNightly({ orgIds: [id] });
    const actual = "function audit_thin_notes has another body";
    expect(organizations).toMatchObject([{ status: "broken", breaks: [{ seq: 0, actual }] }]);
  } finally {
    await roles.owner.unsafe(file);
  }
  expect((await runNightly({ orgIds: [id] })).organizations).toMatchObject([{ status: "intact" }]);
});

describe("an open alarm", () => {
  const HOUR_MS = 3_600_000;
  const found = { seq: 7, id: "", kind: "altered", expected: "a", actual: "b" } as const;
  const open = (id: string) => openAlarms({ kind: "organization", orgIds: [id], partnerId: "" });
  const first = new Date(Date.now() - HOUR_MS).toISOString();

  it("survives the verification that found the folder lost, and closes with the next one", async () => {
    const { id } = await createOrg();
    await appendAudit(roles.app, auditRows(id, 20));
    await signCheckpoint(id, { now: new Date(Date.now() - 40 * 24 * HOUR_MS) });
    await raiseAlarm({ orgId: id, at: first, source: "nightly", breaks: [found] });
    rmSync(join(env().TRAILMARK_DATA_DIR, "checkpoints", id), { recursive: true });
    const auditor = await ctxFor(await createUser({ orgId: id, role: "org_admin" }));
    expect(await verifyIntegrity.run(auditor, { orgId: id })).toMatchObject({ status: "intact" });
    expect(await open(id)).toMatchObject([{ at: first, source: "nightly", breaks: [{ seq: 20, kind: "truncated" }] }]);
    expect((await readState(SYSTEM, id)).state).toMatchObject({ status: "broken" });
    await verifyIntegrity.run(auditor, { orgId: id });
    expect(await open(id)).toEqual([]);
  });

  it("about wrong tree leaves stays open until they match the rows again", async () => {
    const id = await chain(300);
    const auditor = await ctxFor(await createUser({ orgId: id, role: "org_admin" }));
    const overlay = (leaf: string) =>
      tamperBy(`UPDATE audit_tree_tiles SET leaves = overlay(leaves PLACING ${leaf} FROM 33) WHERE org_id = '${id}'`);
    await overlay("sha256('x')");
    while ((await nightly(id)) !== "broken");
    const tile = { seq: 1, kind: "altered", expected: expect.stringContaining("the hash of tile 0/0") };
    expect(await verifyIntegrity.run(auditor, { orgId: id })).toMatchObject({ status: "broken", breaks: [tile] });
    expect(await open(id)).toHaveLength(1);
    await overlay(
      `(SELECT sha256('\\x00' || decode(checksum, 'hex')) FROM audit_logs WHERE org_id = '${id}' AND chain_seq = 2)`,
    );
    expect(await verifyIntegrity.run(auditor, { orgId: id })).toMatchObject({ status: "intact" });
    expect(await open(id)).toEqual([]);
  });

  it("raised again during a verification is not closed by it", async () => {
    const id = await chain(20);
    const raise = (at: string) => raiseAlarm({ orgId: id, at, source: "on demand", breaks: [found] });
    await raise(first);
    const { began } = await judgeChain(id);
    await raise(new Date().toISOString());
    // Found before the last one: it makes that one no older.
    await raise(first);
    await clearAlarm(id, began);
    expect(await open(id)).toMatchObject([{ at: first, breaks: [found] }]);
    await clearAlarm(id, new Date(Date.now() + 1));
    expect(await open(id)).toEqual([]);
  });
});

describe("a clock that ran a year ahead and was corrected", () => {
  const soon = new Date(Date.now() + 365 * 86_400_000);
  const auditorOf = async (orgId: string) => ctxFor(await createUser({ orgId, role: "org_admin" }));
  const ahead = (id: string) =>
    tamper((tx) => tx`UPDATE audit_verifications SET ran_at = ran_at + interval '1 year' WHERE org_id = ${id}`);

  it("does not count rows or nights verified during that time", async () => {
    const id = await chain(20);
    await ahead(id);
    await tamper((tx) => tx`UPDATE audit_notes SET signed_at = signed_at - interval '40 days' WHERE org_id = ${id}`);
    expect((await readState(SYSTEM, id)).state).toMatchObject({ status: "unproven", rowsUnread: 20 });
    expect(await readProgress(id)).toEqual({ verifiedThrough: 0, slice: null });
    expect(await verifyNightly(id)).toMatchObject({ status: "intact", rowsChecked: 20 });
    expect((await readState(SYSTEM, id)).state).toMatchObject({ status: "intact", throughSeq: 20 });
  });

  it("judges a chain by its newest run, not by one dated in the future", async () => {
    const id = await chain(20);
    await tamper((tx) => tx`UPDATE audit_verifications SET status = 'broken' WHERE org_id = ${id}`);
    await ahead(id);
    expect(await verifyNightly(id)).toMatchObject({ status: "intact" });
    const status = await getIntegrityStatus.run(await auditorOf(id), { orgId: id });
    expect(status).toMatchObject({ state: { status: "intact" }, last: { status: "intact" }, alarm: null });
  });

  it("does not date verifications, because the database does", async () => {
    const id = await chain(5);
    const auditor = await auditorOf(id);
    await verifyIntegrity.run({ ...auditor, now: () => soon }, { orgId: id });
    const { last } = await getIntegrityStatus.run(auditor, { orgId: id });
    expect(last?.kind).toBe("whole");
    expect(Date.parse(last?.ranAt ?? "")).toBeLessThan(Date.now() + 60_000);
  });

  it("does not keep an alarm open, nor close one raised after its reading", async () => {
    const id = await chain(5);
    const open = () => openAlarms({ kind: "organization", orgIds: [id], partnerId: "" });
    await raiseAlarm({ orgId: id, at: soon.toISOString(), source: "checkpoint", breaks: [] });
    await clearAlarm(id, soon);
    expect(await open()).toHaveLength(1);
    await verifyIntegrity.run(await auditorOf(id), { orgId: id });
    expect(await open()).toEqual([]);
  });
});

describe("chain state", () => {
  it("is empty without rows, unproven with unread rows, and intact once all were read", async () => {
    const { id } = await createOrg();
    expect((await readState(SYSTEM, id)).state).toMatchObject({ status: "empty", throughSeq: null });
    await appendAudit(roles.app, auditRows(id, 60));
    expect((await readState(SYSTEM, id)).state).toMatchObject({ status: "unproven", rowsUnread: 60 });
    await verifyNightly(id);
    expect((await readState(SYSTEM, id)).state).toMatchObject({ status: "intact", throughSeq: 60, rowsUnread: 0 });
    await tamper(async (tx) => {
      await tx`UPDATE audit_verifications SET ran_at = (ran_at AT TIME ZONE 'UTC' - interval '40 days') AT TIME ZONE 'UTC' WHERE org_id = ${id}`;
      await tx`UPDATE audit_notes SET signed_at = (signed_at AT TIME ZONE 'UTC' - interval '40 days') AT TIME ZONE 'UTC' WHERE org_id = ${id}`;
    });
    await appendAudit(roles.app, auditRows(id, 5));
    await verifyNightly(id);
    const { state } = await readState(SYSTEM, id);
    expect(state).toMatchObject({ status: "unproven", throughSeq: 65, rowsUnread: 57 });
    expect(state.reasons).toEqual(["57 entries have not been read within the last 31 days."]);
  });
});
