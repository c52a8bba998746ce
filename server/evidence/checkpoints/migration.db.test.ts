import { afterAll, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { appendAudit } from "@/server/audit/record/append";
import { readOwnReceipt } from "@/server/evidence/chain/receipt";
import { inclusionProof, verifyInclusion } from "@/server/evidence/tree/tree";
import { runRetention } from "@/server/retention/run";
import { auditRow, auditRows, chainOf, closeRoles, daysAgo, roles, tamper } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { keepOldNote } from "@/testing/old-notes";
import { rfcRoot } from "@/testing/rfc-tree";
import { leafOf, sha256 } from "./hashing";
import { fromTree } from "./nodes";
import { listCheckpoints, newestReceipt } from "./note-store";
import { treeProgress } from "./progress";
import { signCheckpoint } from "./sign";
import { checkpointOf } from "./stored-note";

afterAll(closeRoles);

/** What version 0.110.0 left behind when it had pruned: no signed receipt, only a row in the log. */
async function pruneAsBefore(orgId: string, through: number): Promise<void> {
  const last = (await chainOf(orgId)).find((row) => Number(row.chainSeq) === through)?.checksum ?? "";
  await tamper(async (tx) => {
    await tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq <= ${through}`;
    await tx`UPDATE audit_chain_heads SET pruned_through_seq = ${through}, pruned_through_checksum = ${last}
      WHERE org_id = ${orgId}`;
  });
  const details = { firstSeq: 1, lastSeq: through, count: through, lastChecksum: last, retentionDays: 365 };
  const row = { actorType: "system", action: "audit.retention.prune", details: JSON.stringify(details) } as const;
  await appendAudit(roles.app, [auditRow(orgId, row)]);
}

async function orgOfBefore(expired: number, rest: number): Promise<string> {
  const { id } = await createOrg();
  await appendAudit(roles.app, auditRows(id, expired, { timestamp: daysAgo(400) }));
  await appendAudit(roles.app, auditRows(id, rest));
  return id;
}

const ZERO = Buffer.alloc(32);
const signed = async (orgId: string) => {
  const signing = await signCheckpoint(orgId);
  if (signing.kind === "refused") throw new Error(JSON.stringify(signing.breaks));
  return checkpointOf(signing.note);
};

describe("an installation of the version before trees", () => {
  it("gets a tree with zero leaves for what was pruned, and a signed receipt for it", async () => {
    const orgId = await orgOfBefore(300, 400);
    await pruneAsBefore(orgId, 300);
    expect(await treeProgress(orgId)).toBe(0);
    const { size, root } = await signed(orgId);
    expect(await treeProgress(orgId)).toBeNull();
    const kept = (await chainOf(orgId)).map((row) => Buffer.from(row.checksum ?? "", "hex"));
    expect(size).toBe(701);
    expect(Buffer.from(root)).toEqual(rfcRoot([...Array.from({ length: 300 }, () => ZERO), ...kept]));
    const receipt = await asSystem((tx) => newestReceipt(tx, orgId));
    expect(readOwnReceipt(orgId, receipt?.note ?? "")).toMatchObject({ through: 300, days: 365 });
    await appendAudit(roles.app, auditRows(orgId, 100));
    expect((await signed(orgId)).size).toBe(801);
    expect((await asSystem((tx) => listCheckpoints(tx, orgId, 9))).map((note) => note.size)).toEqual([801, 701, 0]);
  });

  it("continues pruning within the tile that begins with zero leaves, and beyond it", async () => {
    const orgId = await orgOfBefore(600, 3);
    await pruneAsBefore(orgId, 300);
    await signed(orgId);
    const run = await runRetention({ orgIds: [orgId], sliceRows: 70 });
    expect(run).toMatchObject({ status: "done", rows: 300, organizations: [{ slices: 5 }] });
    await appendAudit(roles.app, auditRows(orgId, 2));
    expect((await signed(orgId)).size).toBeGreaterThan(604);
    expect(Number((await chainOf(orgId))[0]?.chainSeq)).toBe(601);
  });

  it("proves its old notes in today's tree, also after their rows were pruned", async () => {
    const orgId = await orgOfBefore(40, 0);
    const old = await keepOldNote(orgId);
    await appendAudit(roles.app, auditRows(orgId, 260));
    const { size, root } = await signed(orgId);
    await runRetention({ orgIds: [orgId] });
    expect(Number((await chainOf(orgId))[0]?.chainSeq)).toBe(41);
    const index = old.seq - 1;
    const path = await asSystem((tx) => fromTree(tx, { orgId, size }, (tree) => inclusionProof(tree, index, size)));
    expect(verifyInclusion(sha256, { index, size, leaf: leafOf(old.checksum), path, root })).toBe(true);
  });

  it("is not signed when a note of before says otherwise", async () => {
    const orgId = await orgOfBefore(0, 20);
    await keepOldNote(orgId);
    const { id: other } = await createOrg();
    await appendAudit(roles.app, auditRows(other, 20));
    await tamper(async (tx) => {
      await tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq > 10`;
      const [last] = await tx`SELECT checksum FROM audit_logs WHERE org_id = ${orgId} AND chain_seq = 10`;
      await tx`UPDATE audit_chain_heads SET seq = 10, checksum = ${last?.checksum} WHERE org_id = ${orgId}`;
    });
    expect(await signCheckpoint(orgId)).toMatchObject({ kind: "refused", breaks: [{ seq: 11, kind: "truncated" }] });
    expect((await signCheckpoint(other)).kind).toBe("signed");
  });

  it("is not signed when nothing tells of the pruning that its head claims", async () => {
    const orgId = await orgOfBefore(20, 10);
    await tamper(async (tx) => {
      await tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq <= 20`;
      await tx`UPDATE audit_chain_heads SET pruned_through_seq = 20, pruned_through_checksum = repeat('a', 64)
        WHERE org_id = ${orgId}`;
    });
    expect(await signCheckpoint(orgId)).toMatchObject({ kind: "refused", breaks: [{ seq: 1, kind: "missing" }] });
    const row = { actorType: "user", action: "audit.retention.prune" } as const;
    const details = { firstSeq: 1, lastSeq: 20, count: 20, lastChecksum: "a".repeat(64), retentionDays: 365 };
    await appendAudit(roles.app, [auditRow(orgId, { ...row, details: JSON.stringify(details) })]);
    expect((await signCheckpoint(orgId)).kind).toBe("refused");
  });
});
