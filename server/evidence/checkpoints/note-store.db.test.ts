import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asSystem, tenant } from "@/db/client";
import { permittedThrough, readOwnReceipt } from "@/server/evidence/chain/note-signature";
import { ED25519 } from "@/server/evidence/tree/signed-note";
import { checkpointText, FIRST_WINDOW } from "@/server/evidence/tree/statement";
import { env } from "@/server/ground/env";
import { inTenant, roles } from "@/testing/chain";
import { signText, testKey } from "@/testing/notes";
import { keepLatest, readLatest } from "./folder";
import { EMPTY_ROOT } from "./hashing";
import {
  firstCheckpointCovering,
  insertNote,
  listCheckpoints,
  newestCheckpoint,
  newestCheckpoints,
  newestReceipt,
} from "./note-store";
import { signReceipt } from "./receipts";
import { originOfOrg, ownKeys, type StoredNote, signStatement } from "./stored-note";

const textOf = (orgId: string, size: number, signedAt: string) =>
  checkpointText({ origin: originOfOrg(orgId), size, root: EMPTY_ROOT, signedAt });

function checkpointAt(orgId: string, size: number, signedAt: string): StoredNote {
  return {
    orgId,
    kind: "checkpoint",
    size,
    signedAt,
    note: signStatement(originOfOrg(orgId), textOf(orgId, size, signedAt)),
  };
}
const checkpoint = (orgId: string, size: number) => checkpointAt(orgId, size, new Date().toISOString());

const keep = (...notes: readonly StoredNote[]) =>
  asSystem(async (tx) => {
    for (const note of notes) await insertNote(tx, note);
  });

describe("stored notes", () => {
  it("name the same key for the installation and, with another ID, for each organization", () => {
    const orgId = randomUUID();
    const [installation] = ownKeys();
    const [own] = ownKeys(orgId);
    expect(own?.name).toBe(`${installation?.name}/log/${orgId}`);
    expect(own?.publicKey).toEqual(installation?.publicKey);
    expect(own?.id).not.toBe(installation?.id);
  });

  it("are listed newest first, and the newest checkpoint is the largest", async () => {
    const orgId = randomUUID();
    await keep(checkpoint(orgId, 0), checkpoint(orgId, 7), checkpoint(orgId, 3));
    const sizes = (await asSystem((tx) => listCheckpoints(tx, orgId, 2))).map(({ size }) => size);
    expect(sizes).toEqual([7, 3]);
    expect((await asSystem((tx) => newestCheckpoint(tx, orgId)))?.size).toBe(7);
  });

  it("keeps the larger checkpoint when two processes write at once", async () => {
    const orgId = randomUUID();
    const at = (n: number) => checkpointAt(orgId, n, new Date(Date.UTC(2026, 10, 23, 12, 0, 0, n)).toISOString());
    const sizes = Array.from({ length: 20 }, (_, n) => 1 + ((n * 7) % 20));
    await Promise.all(sizes.map((size) => keepLatest(at(size))));
    expect((await readLatest(orgId))?.size).toBe(20);
    await keepLatest(at(19));
    expect((await readLatest(orgId))?.size).toBe(20);
    expect(readdirSync(join(env().TRAILMARK_DATA_DIR, "checkpoints", orgId))).toEqual(["latest"]);
    // A log that was restored is shorter, and signed later.
    await keepLatest(checkpoint(orgId, 3));
    expect((await readLatest(orgId))?.size).toBe(3);
  });

  it("skip altered, foreign and unknown-key notes", async () => {
    const [orgId, other] = [randomUUID(), randomUUID()];
    const good = checkpoint(orgId, 5);
    const stranger = testKey(9, originOfOrg(orgId), ED25519);
    const forged = Array.from({ length: 30 }, (_, n) => {
      const signedAt = new Date().toISOString();
      return { ...good, size: 100 + n, signedAt, note: signText(textOf(orgId, 100 + n, signedAt), stranger) };
    });
    const altered = { ...good, size: 90, note: good.note.replace("\n5\n", "\n90\n") };
    const foreign = { ...checkpoint(other, 80), orgId };
    await keep(good, ...forged, altered, foreign);
    expect(await asSystem((tx) => newestCheckpoint(tx, orgId))).toEqual(good);
  });

  it("are read from their signed text, not from the columns beside it", async () => {
    const [orgId, before] = [randomUUID(), "2026-01-01T00:00:00.000Z"];
    const [first, newest] = [checkpointAt(orgId, 10, "2026-11-20T00:00:00.000Z"), checkpoint(orgId, 20)];
    const at = new Date().toISOString();
    const old = await signReceipt(orgId, {
      through: 10,
      before,
      ...FIRST_WINDOW,
      signedAt: "2026-11-20T00:00:00.000Z",
    });
    const receipt = await signReceipt(orgId, { through: 50, before, ...FIRST_WINDOW, signedAt: at });
    await keep(first, newest, { ...first, size: 30 }, { ...first, size: 9e15, signedAt: at });
    await keep({ ...old, size: 9e15 }, { ...first, signedAt: "2020-01-01T00:00:00.000Z" });
    await roles.owner`INSERT INTO audit_notes (org_id, kind, size, signed_at, note)
      VALUES (${orgId}, 'checkpoint', 40, 'infinity', ${first.note}), (${orgId}, 'receipt', 60, '-infinity', ${old.note})`;
    expect(await asSystem((tx) => newestReceipt(tx, orgId))).toEqual(receipt);
    expect(await inTenant("system", (tx) => permittedThrough(tx, orgId))).toBe(50);
    expect(await asSystem((tx) => listCheckpoints(tx, orgId, 99))).toEqual([newest, first]);
    expect((await asSystem((tx) => newestCheckpoints(tx, [orgId]))).get(orgId)).toEqual(newest);
    expect(await asSystem((tx) => firstCheckpointCovering(tx, orgId, 15))).toEqual(newest);
    expect(await asSystem((tx) => newestCheckpoint(tx, orgId, new Date("2026-01-01")))).toBeNull();
  });

  it("separate receipts from checkpoints, most permissive receipt first", async () => {
    const orgId = randomUUID();
    const before = "2026-01-01T00:00:00.000Z";
    for (const through of [10, 30, 20])
      await signReceipt(orgId, { through, before, ...FIRST_WINDOW, signedAt: new Date().toISOString() });
    const newest = await asSystem((tx) => newestReceipt(tx, orgId));
    expect(readOwnReceipt(orgId, newest?.note ?? "")).toMatchObject({ through: 30, before, days: 365 });
    expect(await asSystem((tx) => newestCheckpoint(tx, orgId))).toBeNull();
    const [month] = readdirSync(join(env().TRAILMARK_DATA_DIR, "checkpoints", orgId));
    expect(
      readFileSync(join(env().TRAILMARK_DATA_DIR, "checkpoints", orgId, month ?? ""), "utf8")
        .trim()
        .split("\n"),
    ).toHaveLength(3);
  });
});

describe("tree tables", () => {
  it("show an organization its own rows and accept rows only from the platform", async () => {
    const [orgId, other] = [randomUUID(), randomUUID()];
    await keep(checkpoint(orgId, 1), checkpoint(other, 1));
    const scope = { kind: "organization", orgIds: [orgId], partnerId: "" } as const;
    expect(await tenant(scope, (tx) => newestCheckpoint(tx, orgId))).not.toBeNull();
    expect(await tenant(scope, (tx) => newestCheckpoint(tx, other))).toBeNull();
    await expect(tenant(scope, (tx) => insertNote(tx, checkpoint(orgId, 2)))).rejects.toMatchObject({
      cause: { code: "42501" },
    });
  });

  it("refuse every change, even by the owner", async () => {
    const orgId = randomUUID();
    await keep(checkpoint(orgId, 1));
    await signReceipt(orgId, {
      through: 1,
      before: "2026-01-01T00:00:00.000Z",
      ...FIRST_WINDOW,
      signedAt: new Date().toISOString(),
    });
    for (const sql of [roles.app, roles.admin, roles.owner])
      for (const table of ["audit_notes", "audit_tree_tiles", "audit_trees"])
        for (const statement of [`UPDATE ${table} SET org_id = org_id`, `DELETE FROM ${table}`, `TRUNCATE ${table}`])
          await expect(sql.unsafe(statement)).rejects.toMatchObject({ code: "42501" });
  });

  it("thin out older checkpoints by hours and days, but keep receipts", async () => {
    const orgId = randomUUID();
    const now = Date.now();
    const at = (daysAgo: number, time: string) =>
      `${new Date(now - daysAgo * 86_400_000).toISOString().slice(0, 10)}T${time}:00.000Z`;
    const kept = [at(0, "00:00"), at(1, "05:10"), at(1, "05:40"), at(10, "06:59"), at(10, "05:40"), at(100, "09:00")];
    const gone = [at(10, "05:39"), at(10, "06:10"), at(100, "08:59"), at(100, "05:40")];
    await keep(...[...kept, ...gone].map((signedAt) => checkpointAt(orgId, Date.parse(signedAt) / 60_000, signedAt)));
    await signReceipt(orgId, { through: 1, before: at(400, "00:00"), ...FIRST_WINDOW, signedAt: at(100, "05:00") });
    const [thinned] = await roles.app<{ n: string }[]>`SELECT audit_thin_notes(${orgId}) AS n`;
    expect(Number(thinned?.n)).toBe(gone.length);
    const left = await asSystem((tx) => listCheckpoints(tx, orgId, 100));
    expect(left.map(({ signedAt }) => signedAt)).toEqual(kept.sort().reverse());
    expect(await asSystem((tx) => newestReceipt(tx, orgId))).not.toBeNull();
  });
});
