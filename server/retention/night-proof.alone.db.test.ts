import type postgres from "postgres";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { newestReceipt } from "@/server/evidence/checkpoints/note-store";
import { openAlarms } from "@/server/evidence/integrity/alarm";
import { signCheckpoint } from "@/server/evidence/integrity/checkpoints";
import { verifyNightly } from "@/server/evidence/integrity/nightly";
import { appendEvents } from "@/testing/audit-entries";
import { chainOf, daysAgo, tamper } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { keepFor } from "@/testing/permit";
import { runRetention } from "./run";

const EXPIRED = 300;
const old = (orgId: string, count: number) =>
  appendEvents(Array.from({ length: count }, () => ({ orgId, timestamp: new Date(daysAgo(100)) })));
const prune = (orgId: string) => runRetention({ orgIds: [orgId], sliceRows: 100 });
const open = (orgId: string) => openAlarms({ kind: "organization", orgIds: [orgId], partnerId: "" });
const firstKept = async (orgId: string) => Number((await chainOf(orgId))[0]?.chainSeq);
type Damage = (tx: postgres.TransactionSql, orgId: string) => Promise<unknown>;
const contents =
  (seq: number): Damage =>
  (tx, orgId) =>
    tx`UPDATE audit_logs SET result = 'denied' WHERE org_id = ${orgId} AND chain_seq = ${seq}`;

/** An organization whose entries were read tonight, most of them expired: one tile is full, and a part of the next. */
async function provenByNight(): Promise<string> {
  const { id } = await createOrg();
  await old(id, EXPIRED);
  await keepFor(id, 30);
  expect(await verifyNightly(id)).toMatchObject({ status: "intact" });
  return id;
}

async function expectKept(orgId: string, from: number, seq: number): Promise<void> {
  const error = expect.stringContaining(`nothing was removed from sequence ${from} on`);
  expect(await prune(orgId)).toMatchObject({ rows: from - 1, organizations: [{ error }] });
  expect(await firstKept(orgId)).toBe(from);
  expect((await asSystem((tx) => newestReceipt(tx, orgId)))?.size ?? 0).toBe(from - 1);
  expect(await open(orgId)).toMatchObject([
    { source: "retention", breaks: expect.arrayContaining([expect.objectContaining({ seq })]) },
  ]);
}

describe("pruning after an intact nightly verification", () => {
  it("removes expired entries and keeps the chain intact", async () => {
    const orgId = await provenByNight();
    expect(await prune(orgId)).toMatchObject({ rows: EXPIRED, organizations: [{ slices: 3, lastSeq: EXPIRED }] });
    expect(await verifyNightly(orgId)).toMatchObject({ status: "intact", prunedPrefix: { throughSeq: EXPIRED } });
    expect(await open(orgId)).toEqual([]);
  });

  it("does not detect changed contents with an unchanged checksum and link", async () => {
    const orgId = await provenByNight();
    await tamper((tx) => contents(150)(tx, orgId));
    expect(await prune(orgId)).toMatchObject({ rows: EXPIRED });
  });

  it.each<{ name: string; from: number; seq: number; damage: Damage }>([
    {
      name: "a changed checksum and matching next link",
      from: 101,
      seq: 150,
      damage: async (tx, orgId) => {
        await tx`UPDATE audit_logs SET checksum = repeat('0', 64) WHERE org_id = ${orgId} AND chain_seq = 150`;
        await tx`UPDATE audit_logs SET prev_checksum = repeat('0', 64) WHERE org_id = ${orgId} AND chain_seq = 151`;
      },
    },
    {
      name: "a tile leaf that does not match its checksum",
      from: 1,
      seq: 1,
      damage: (tx, orgId) =>
        tx`UPDATE audit_tree_tiles SET leaves = overlay(leaves PLACING sha256('x') FROM 33) WHERE org_id = ${orgId}`,
    },
    {
      name: "an invalid checksum",
      from: 101,
      seq: 200,
      damage: (tx, orgId) => tx`UPDATE audit_logs SET checksum = 'none' WHERE org_id = ${orgId} AND chain_seq = 200`,
    },
    {
      name: "a broken link",
      from: 101,
      seq: 150,
      damage: (tx, orgId) =>
        tx`UPDATE audit_logs SET prev_checksum = repeat('0', 64) WHERE org_id = ${orgId} AND chain_seq = 150`,
    },
    {
      name: "a broken link to an entry just pruned",
      from: 101,
      seq: 101,
      damage: (tx, orgId) =>
        tx`UPDATE audit_logs SET prev_checksum = repeat('0', 64) WHERE org_id = ${orgId} AND chain_seq = 101`,
    },
    {
      name: "a missing entry",
      from: 201,
      seq: 256,
      damage: (tx, orgId) => tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq = 256`,
    },
    { name: "changed contents in the partial tile", from: 201, seq: 260, damage: contents(260) },
  ])("keeps the slice with $name and raises an alarm", async ({ from, seq, damage }) => {
    const orgId = await provenByNight();
    await tamper((tx) => damage(tx, orgId));
    await expectKept(orgId, from, seq);
  });

  it("keeps the slice with changed contents after the verified part and raises an alarm", async () => {
    const { id: orgId } = await createOrg();
    await old(orgId, EXPIRED);
    await verifyNightly(orgId);
    await old(orgId, EXPIRED);
    await keepFor(orgId, 30);
    await signCheckpoint(orgId);
    await tamper((tx) => contents(450)(tx, orgId));
    await expectKept(orgId, 401, 450);
  });
});

describe("pruning reads contents again when the last nightly verification", () => {
  it.each<[string, (tx: postgres.TransactionSql, orgId: string) => Promise<unknown>]>([
    [
      "was more than 26 hours ago",
      (tx, orgId) => tx`UPDATE audit_verifications SET ran_at = now() - interval '27 hours' WHERE org_id = ${orgId}`,
    ],
    [
      "was unproven",
      (tx, orgId) =>
        tx`UPDATE audit_verifications SET status = 'unproven', reasons = '["No key."]' WHERE org_id = ${orgId}`,
    ],
  ])("%s: keeps the slice with changed contents and raises an alarm", async (_, change) => {
    const orgId = await provenByNight();
    await tamper((tx) => change(tx, orgId));
    await tamper((tx) => contents(150)(tx, orgId));
    await expectKept(orgId, 101, 150);
  });
});

it("prunes nothing after a nightly verification that found damage", async () => {
  const { id: orgId } = await createOrg();
  await old(orgId, EXPIRED);
  await keepFor(orgId, 30);
  await signCheckpoint(orgId);
  await tamper((tx) => contents(150)(tx, orgId));
  expect(await verifyNightly(orgId)).toMatchObject({ status: "broken" });
  const error = expect.stringContaining("an alarm is open on this log");
  expect(await prune(orgId)).toMatchObject({ rows: 0, organizations: [{ error }] });
  expect(await firstKept(orgId)).toBe(1);
});
