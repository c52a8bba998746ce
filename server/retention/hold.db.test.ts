import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { dataStreams, streamPositions } from "@/db/schema/index";
import { systemCtx } from "@/server/ground/context";
import { appendEvents } from "@/testing/audit-entries";
import { daysAgo } from "@/testing/chain";
import { call, createOrg, createUser, ctxFor } from "@/testing/factories";
import { keepFor, signedDaysAgo } from "@/testing/permit";
import { getPolicy, previewPruning } from "./policy";
import { runRetention } from "./run";

const KEPT_DAYS = 30;

/** An organization with ten entries of 50 days and ten of 40 days, kept for 30 days, and three of today. */
async function expiredOrg() {
  const org = await createOrg();
  const at = (days: number) =>
    Array.from({ length: 10 }, () => ({ orgId: org.id, timestamp: new Date(daysAgo(days)) }));
  await appendEvents(at(50));
  await appendEvents(at(40));
  await signedDaysAgo(org.id, 40);
  await keepFor(org.id, KEPT_DAYS);
  return org;
}

type Stream = {
  through: number;
  config?: Record<string, unknown>;
  holdDays?: number;
  state?: "draft" | "active" | "blocked";
  isWhole?: boolean;
};

async function streamOf(org: { id: string; partnerId: string }, { through, config = {}, isWhole, ...more }: Stream) {
  const row = {
    ...{ id: randomUUID(), partnerId: org.partnerId, orgId: isWhole ? null : org.id, name: "Held" },
    ...({ kind: "s3", config, format: "native", stateSince: new Date() } as const),
    ...{ state: "active" as const, ...more },
  };
  const position = { streamId: row.id, orgId: org.id, throughSeq: through, scannedSeq: through };
  await asSystem(async (tx) => {
    await tx.insert(dataStreams).values(row);
    if (through > 0) await tx.insert(streamPositions).values(position);
  });
}

const rowsGone = async (orgId: string) => (await runRetention({ orgIds: [orgId] })).rows;

describe("retention and streams", () => {
  it("removes nothing that the archive lacks", async () => {
    const org = await expiredOrg();
    await streamOf(org, { through: 7, config: { archive: true }, state: "blocked" });
    const preview = await previewPruning.run(systemCtx(), { id: org.id, retentionDays: KEPT_DAYS });
    expect(preview).toMatchObject({ rows: 7, lastSeq: 7 });
    expect(await rowsGone(org.id)).toBe(7);
    expect(await rowsGone(org.id)).toBe(0);
  });

  it("waits for a partner archive that has not reached the organization", async () => {
    const org = await expiredOrg();
    await streamOf(org, { through: 0, config: { archive: true }, isWhole: true });
    expect(await rowsGone(org.id)).toBe(0);
  });

  it("waits for a stream at most for its hold days", async () => {
    const org = await expiredOrg();
    // Kept for 30 days and held for 15: entries of 50 days go, those of 40 days wait.
    await streamOf(org, { through: 3, holdDays: 15 });
    expect(await rowsGone(org.id)).toBe(10);
  });

  it("does not wait for a draft or a stream without a hold", async () => {
    const org = await expiredOrg();
    await streamOf(org, { through: 0, config: { archive: true }, state: "draft" });
    await streamOf(org, { through: 0 });
    expect(await rowsGone(org.id)).toBe(20);
  });
});

it("the policy says whether an archive holds retention, including a partner's", async () => {
  const org = await expiredOrg();
  const viewer = await ctxFor(await createUser({ orgId: org.id, role: "org_admin" }));
  const policy = () => getPolicy.run(viewer, { id: org.id });
  expect(await policy()).toMatchObject({ archiveToS3: false });
  await streamOf(org, { through: 0, config: { archive: true }, isWhole: true });
  expect(await policy()).toMatchObject({ archiveToS3: true });
});

it("rejects a change of archiveToS3 and names the member", async () => {
  const org = await expiredOrg();
  const token = await createUser({ orgId: org.id, role: "org_admin" });
  const put = (archiveToS3: boolean) =>
    call(token, `PUT /orgs/organizations/${org.id}/audit-retention`, { retentionDays: 90, archiveToS3 });
  const refused = { status: 400, body: { errors: [{ path: "archiveToS3" }] } };
  expect(await put(true)).toMatchObject(refused);
  expect(await put(false)).toMatchObject({ status: 200, body: { archiveToS3: false } });
  await streamOf(org, { through: 0, config: { archive: true } });
  expect(await put(true)).toMatchObject({ status: 200, body: { archiveToS3: true } });
  expect(await put(false)).toMatchObject(refused);
});
