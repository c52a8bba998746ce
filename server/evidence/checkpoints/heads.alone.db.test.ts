import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { beforeEach, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { appendAudit } from "@/server/audit/record/append";
import { judgeChain } from "@/server/evidence/integrity/judge";
import { verifyNightly } from "@/server/evidence/integrity/nightly";
import { env } from "@/server/ground/env";
import { auditRows, roles, tamper } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { listCheckpoints } from "./note-store";
import { signCheckpoint } from "./sign";

const HOUR_MS = 3_600_000;
const switchTo = (folder: string) => withSettings({ TRAILMARK_DATA_DIR: folder });

/** The data folder of a process that starts; the key is the one that this process has. */
function newFolder(): string {
  const folder = tempFolder();
  switchTo(folder);
  return folder;
}

beforeEach(() => void newFolder());

const latestOf = (folder: string, orgId: string) => join(folder, "checkpoints", orgId, "latest");
const sizes = async (orgId: string) => (await asSystem((tx) => listCheckpoints(tx, orgId, 99))).map(({ size }) => size);

async function signedOrg(rows: number, ago = 0): Promise<string> {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, rows));
  expect((await signCheckpoint(id, { now: new Date(Date.now() - ago) })).kind).toBe("signed");
  return id;
}

describe("signing a head that contradicts earlier checkpoints", () => {
  const cases: [string, (orgId: string) => Promise<unknown>, object][] = [
    [
      "deleted",
      (org) => tamper((tx) => tx`DELETE FROM audit_chain_heads WHERE org_id = ${org}`),
      { seq: 1, kind: "truncated" },
    ],
    [
      "lowered",
      (org) => tamper((tx) => tx`UPDATE audit_chain_heads SET seq = 5 WHERE org_id = ${org}`),
      { seq: 6, kind: "truncated" },
    ],
    ["raised", (org) => tamper((tx) => tx`UPDATE audit_chain_heads SET seq = 40 WHERE org_id = ${org}`), { seq: 13 }],
    [
      "given another checksum, with a row behind it",
      async (org) => {
        await appendAudit(roles.app, auditRows(org, 1));
        await tamper((tx) => tx`UPDATE audit_chain_heads SET checksum = repeat('a', 64) WHERE org_id = ${org}`);
      },
      { seq: 13, kind: "truncated" },
    ],
    [
      "given another checksum",
      (org) => tamper((tx) => tx`UPDATE audit_chain_heads SET checksum = repeat('a', 64) WHERE org_id = ${org}`),
      { seq: 12, kind: "truncated" },
    ],
  ];
  it.each(cases)("is refused: %s", async (_, change, found) => {
    const orgId = await signedOrg(12);
    await change(orgId);
    const signing = await signCheckpoint(orgId);
    expect(signing).toMatchObject({ kind: "refused" });
    expect(signing.kind === "refused" && signing.breaks[0]).toMatchObject(found);
    expect(await sizes(orgId)).toEqual([12, 0]);
  });
});

describe("signing with wrong tiles", () => {
  it.each([
    [
      "altered",
      (tx: postgres.TransactionSql, org: string) =>
        tx`UPDATE audit_tree_tiles SET hash = sha256('x') WHERE org_id = ${org} AND idx = 0`,
    ],
    [
      "deleted",
      (tx: postgres.TransactionSql, org: string) => tx`DELETE FROM audit_tree_tiles WHERE org_id = ${org} AND idx = 1`,
    ],
  ])("is refused: %s", async (_, change) => {
    const orgId = await signedOrg(600);
    await tamper((tx) => change(tx, orgId));
    await appendAudit(roles.app, auditRows(orgId, 1));
    expect((await signCheckpoint(orgId)).kind).toBe("refused");
  });

  it("is refused when tiles were added before their rows", async () => {
    const orgId = await signedOrg(10);
    await asSystem((tx) =>
      tx.execute(
        `INSERT INTO audit_tree_tiles SELECT '${orgId}', 0, 0, sha256('x'), decode(repeat('00', 8192), 'hex')`,
      ),
    );
    await appendAudit(roles.app, auditRows(orgId, 300));
    expect(await signCheckpoint(orgId)).toMatchObject({ kind: "refused", breaks: [{ kind: "altered" }] });
  });
});

describe("the checkpoint folder", () => {
  it("reveals a restored backup when ahead of the database", async () => {
    const orgId = await signedOrg(8);
    const [head] = await roles.admin`SELECT seq, checksum FROM audit_chain_heads WHERE org_id = ${orgId}`;
    await appendAudit(roles.app, auditRows(orgId, 4));
    await signCheckpoint(orgId);
    await tamper(async (tx) => {
      await tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq > 8`;
      await tx`UPDATE audit_chain_heads SET seq = ${head?.seq}, checksum = ${head?.checksum} WHERE org_id = ${orgId}`;
      await tx`DELETE FROM audit_notes WHERE org_id = ${orgId} AND size > 8`;
    });
    expect(await signCheckpoint(orgId)).toMatchObject({ kind: "refused", breaks: [{ seq: 9, kind: "truncated" }] });
    await appendAudit(roles.app, auditRows(orgId, 9));
    expect(await signCheckpoint(orgId)).toMatchObject({ kind: "refused", breaks: [{ seq: 12, kind: "altered" }] });
  });

  it("catches up when behind the database, and supplies a note the database lost", async () => {
    const folder = newFolder();
    const orgId = await signedOrg(5);
    const old = readFileSync(latestOf(folder, orgId));
    await appendAudit(roles.app, auditRows(orgId, 5));
    await signCheckpoint(orgId);
    const newest = readFileSync(latestOf(folder, orgId));
    writeFileSync(latestOf(folder, orgId), old);
    expect(await signCheckpoint(orgId)).toMatchObject({ kind: "signed", note: { size: 10 }, warnings: [] });
    expect(readFileSync(latestOf(folder, orgId))).toEqual(newest);
    await tamper((tx) => tx`DELETE FROM audit_notes WHERE org_id = ${orgId} AND size = 10`);
    expect((await signCheckpoint(orgId)).kind).toBe("signed");
    expect(await sizes(orgId)).toEqual([10, 5, 0]);
  });

  it("reports its loss, and signing continues from the database", async () => {
    const orgId = await signedOrg(5, HOUR_MS);
    const { TRAILMARK_DATA_DIR: lost } = env();
    withSettings({ TRAILMARK_DATA_DIR: newFolder() });
    await appendAudit(roles.app, auditRows(orgId, 1));
    expect(await signCheckpoint(orgId)).toMatchObject({
      kind: "signed",
      note: { size: 6 },
      warnings: [{ seq: 5, kind: "truncated", actual: expect.stringContaining("can no longer be excluded") }],
    });
    expect(existsSync(latestOf(lost, orgId))).toBe(true);
    expect(await signCheckpoint(orgId)).toMatchObject({ warnings: [] });
  });

  it("leaves the chain unproven while it cannot be written", async () => {
    const folder = newFolder();
    const { id } = await createOrg();
    await appendAudit(roles.app, auditRows(id, 300));
    writeFileSync(join(folder, "checkpoints"), "in the way");
    const [reason] = ["No checkpoint could be signed: the signing key or the data folder cannot be used."];
    for (const part of [{}, { fromSeq: 2, toSeq: 9 }])
      expect(await judgeChain(id, part)).toMatchObject({ status: "unproven", reasons: [reason], breaks: [] });
    expect(await verifyNightly(id)).toMatchObject({ status: "unproven", reasons: [reason] });
    // The tree's first tile was stored before the folder refused: as after a crash between the two.
    expect(await sizes(id)).toEqual([]);
    rmSync(join(folder, "checkpoints"));
    expect(await judgeChain(id)).toMatchObject({ status: "intact", covered: { lastSeq: 300 } });
    expect(await sizes(id)).toEqual([300, 0]);
  });

  it("extends the same tree in any signing order when two processes have one each", async () => {
    const first = newFolder();
    const orgId = await signedOrg(200);
    const second = newFolder();
    for (const folder of [second, first, second, first]) {
      switchTo(folder);
      await appendAudit(roles.app, auditRows(orgId, 90));
      expect(await signCheckpoint(orgId)).toMatchObject({ kind: "signed", warnings: [] });
    }
    expect(await sizes(orgId)).toEqual([560, 470, 380, 290, 200, 0]);
    for (const folder of [first, second]) expect(existsSync(latestOf(folder, orgId))).toBe(true);
  });

  it("keeps the last checkpoint of each hour", async () => {
    const folder = newFolder();
    const { id } = await createOrg();
    for (const at of ["2026-05-01T10:10:00.000Z", "2026-05-01T10:50:00.000Z", "2026-05-01T11:05:00.000Z"]) {
      await appendAudit(roles.app, auditRows(id, 1));
      await signCheckpoint(id, { now: new Date(at) });
    }
    const kept = readFileSync(join(folder, "checkpoints", id, "2026-05.ndjson"), "utf8")
      .trim()
      .split("\n");
    expect(kept.map((line) => JSON.parse(line))).toMatchObject([{ size: 2, signedAt: "2026-05-01T10:50:00.000Z" }]);
  });
});
