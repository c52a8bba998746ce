import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { appendAudit } from "@/server/audit/record/append";
import { sha256 } from "@/server/evidence/tree/note-tools";
import { inclusionProof, leafHash, verifyInclusion } from "@/server/evidence/tree/tree";
import { env } from "@/server/ground/env";
import { auditRows, chainOf, roles, tamper } from "@/testing/chain";
import { rfcRoot } from "@/testing/rfc-tree";
import { withSettings } from "@/testing/settings";
import { fromTree } from "./nodes";
import { listCheckpoints, newestCheckpoint } from "./note-store";
import { signCheckpoint } from "./sign";
import { checkpointOf } from "./stored-note";

const write = (orgId: string, count: number) => appendAudit(roles.app, auditRows(orgId, count));

const checksums = async (orgId: string) => (await chainOf(orgId)).map((row) => Buffer.from(row.checksum ?? "", "hex"));

async function signed(orgId: string) {
  const signing = await signCheckpoint(orgId);
  if (signing.kind !== "signed") throw new Error(JSON.stringify(signing));
  return signing.note;
}

describe("signing a checkpoint", () => {
  it("signs an unchanged head again only after the server was renamed", async () => {
    const orgId = randomUUID();
    await write(orgId, 3);
    const first = await signed(orgId);
    expect(await signed(orgId)).toEqual(first);
    withSettings({ NEXTAUTH_URL: "https://renamed.example" });
    const renamed = await signed(orgId);
    expect(checkpointOf(renamed)).toMatchObject({ size: 3, origin: `renamed.example/log/${orgId}` });
    expect(await signed(orgId)).toEqual(renamed);
  });

  it("covers an empty log first, then the root over all rows", async () => {
    const orgId = randomUUID();
    expect(checkpointOf(await signed(orgId))).toMatchObject({ size: 0 });
    for (const more of [1, 2, 252, 1, 1, 300]) {
      await write(orgId, more);
      const rows = await checksums(orgId);
      const { size, root } = checkpointOf(await signed(orgId));
      expect(size).toBe(rows.length);
      expect(Buffer.from(root)).toEqual(rfcRoot(rows));
    }
    expect((await asSystem((tx) => listCheckpoints(tx, orgId, 100))).map(({ size }) => size)).toEqual([
      557, 257, 256, 255, 3, 1, 0,
    ]);
    expect(readFileSync(join(env().TRAILMARK_DATA_DIR, "checkpoints", orgId, "latest"), "utf8")).toContain("\n557\n");
  });

  it("signs nothing new for an unchanged head", async () => {
    const orgId = randomUUID();
    await write(orgId, 3);
    expect(await signed(orgId)).toEqual(await signed(orgId));
    expect(existsSync(join(env().TRAILMARK_DATA_DIR, "checkpoints", orgId, "latest"))).toBe(true);
  });

  it("allows an inclusion proof of every row from stored tiles and newer rows", async () => {
    const orgId = randomUUID();
    await write(orgId, 600);
    const checkpoint = checkpointOf(await signed(orgId));
    const rows = await checksums(orgId);
    for (const index of [0, 1, 255, 256, 511, 512, 598, 599]) {
      const path = await asSystem((tx) =>
        fromTree(tx, { orgId, size: 600 }, (tree) => inclusionProof(tree, index, 600)),
      );
      const leaf = leafHash(sha256, rows[index] ?? Buffer.alloc(0));
      expect(verifyInclusion(sha256, { index, size: 600, leaf, path, root: checkpoint.root })).toBe(true);
    }
  });

  it("refuses an altered row and a row rewritten with its checksum", async () => {
    const orgId = randomUUID();
    await write(orgId, 10);
    await signed(orgId);
    await write(orgId, 10);
    await tamper(
      (tx) => tx`UPDATE audit_logs SET resource_name = 'somebody else' WHERE org_id = ${orgId} AND chain_seq = 15`,
    );
    expect(await signCheckpoint(orgId)).toMatchObject({ kind: "refused", breaks: [{ seq: 15, kind: "altered" }] });
    expect((await asSystem((tx) => newestCheckpoint(tx, orgId)))?.size).toBe(10);
  });

  it("is shared by concurrent callers", async () => {
    const orgId = randomUUID();
    await write(orgId, 50);
    const all = await Promise.all(Array.from({ length: 8 }, () => signed(orgId)));
    expect(new Set(all.map(({ size }) => size))).toEqual(new Set([50]));
    expect(await asSystem((tx) => listCheckpoints(tx, orgId, 100))).toHaveLength(2);
  });
});
