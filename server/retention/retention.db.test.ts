import { describe, expect, it } from "vitest";
import { raiseAlarm } from "@/server/evidence/integrity/alarm";
import { appendEvents } from "@/testing/audit-entries";
import { daysAgo, roles } from "@/testing/chain";
import { auditRows, call, createOrg, createUser, ctxFor } from "@/testing/factories";
import { previewMany } from "./policy";
import { runRetention } from "./run";

const at = (days: number) => new Date(daysAgo(days));
const dropPolicy = (orgId: string) => roles.owner`DELETE FROM audit_retention_policies WHERE org_id = ${orgId}`;

describe("GET and PUT …/audit-retention", () => {
  it("returns 365 days for a new organization and null without a policy", async () => {
    const org = await createOrg();
    const viewer = await createUser({ role: "org_viewer", orgId: org.id });
    const got = await call(viewer, `GET /orgs/organizations/${org.id}/audit-retention`);
    expect(got.body).toMatchObject({ orgId: org.id, configured: true, retentionDays: 365, lastCleanupAt: null });
    await dropPolicy(org.id);
    expect((await call(viewer, `GET /orgs/organizations/${org.id}/audit-retention`)).body).toEqual({
      orgId: org.id,
      configured: false,
      retentionDays: null,
      archiveToS3: false,
      lastCleanupAt: null,
      createdAt: null,
      updatedAt: null,
    });
  });

  it("saves a policy and records before and after", async () => {
    const admin = await createUser({ role: "org_admin" });
    const id = admin.orgId as string;
    await dropPolicy(id);
    const first = await call(admin, `PUT /orgs/organizations/${id}/audit-retention`, { retentionDays: 90 });
    expect(first).toMatchObject({ status: 200, body: { configured: true, retentionDays: 90, archiveToS3: false } });
    await call(admin, `PUT /orgs/organizations/${id}/audit-retention`, { retentionDays: 730, archiveToS3: false });
    const rows = (await auditRows(id)).filter((r) => r.action === "organization.audit_retention.update");
    expect(rows.map((r) => r.details)).toEqual([
      { before: { configured: false, retentionDays: null }, after: { configured: true, retentionDays: 90 } },
      { before: { configured: true, retentionDays: 90 }, after: { configured: true, retentionDays: 730 } },
    ]);
    expect(rows[0]).toMatchObject({ actorType: "user", actorId: admin.id, resourceId: id });
  });

  it.each([
    [{ retentionDays: 0 }],
    [{ retentionDays: 3651 }],
    [{ retentionDays: 1.5 }],
    [{ retentionDays: "30" }],
    [{}],
    [{ retentionDays: 30, archiveToS3: true }],
    [{ retentionDays: 30, more: 1 }],
  ])("rejects the body %j", async (body) => {
    const admin = await createUser({ role: "org_admin" });
    const answer = await call(admin, `PUT /orgs/organizations/${admin.orgId}/audit-retention`, body);
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  });
});

describe("GET …/audit-retention/preview", () => {
  const preview = async (orgId: string, days: number | string) => {
    const viewer = await createUser({ role: "org_viewer", orgId });
    return call(viewer, `GET /orgs/organizations/${orgId}/audit-retention/preview?retentionDays=${days}`);
  };

  it("counts the rows and time span to remove, in any order of arrival", async () => {
    const { id: orgId } = await createOrg();
    // Times in days before now, in chain order: the third arrived late, the fifth is inside a window of 30 days.
    const ages = [400, 300, 390, 100, 10, 90, 5];
    const rows = await appendEvents(ages.map((days) => ({ orgId, timestamp: at(days) })));
    const { body } = await preview(orgId, 30);
    expect(body).toMatchObject({ rows: 4, firstSeq: 1, lastSeq: 4, heldBy: { seq: 5 } });
    expect(body.from).toBe(rows[0]?.timestamp.toISOString());
    expect(body.to).toBe(rows[3]?.timestamp.toISOString());
    const { heldBy } = body;
    expect(Date.parse(heldBy.until) - Date.parse(heldBy.timestamp)).toBe(body.retentionDays * 86_400_000);
    expect((await preview(orgId, 365)).body).toMatchObject({ rows: 1, lastSeq: 1, heldBy: { seq: 2 } });
    expect((await preview(orgId, 1)).body).toMatchObject({ rows: 7, lastSeq: 7, heldBy: null });
    expect((await preview(orgId, 3650)).body).toMatchObject({ rows: 0, firstSeq: null, from: null });
  });

  it("promises no removal while an alarm is open, as does a dry run", async () => {
    const { id: orgId } = await createOrg();
    await appendEvents([{ orgId, timestamp: at(800) }, { orgId }]);
    expect((await preview(orgId, 365)).body).toMatchObject({ rows: 1, alarmSince: null });
    const since = new Date().toISOString();
    await raiseAlarm({ orgId, at: since, source: "nightly", breaks: [] });
    expect((await preview(orgId, 365)).body).toMatchObject({ rows: 0, firstSeq: null, alarmSince: since });
    const admin = await ctxFor(await createUser({ role: "org_admin", orgId }));
    const many = await previewMany.run(admin, { orgId: [orgId], retentionDays: 365 });
    expect(many).toMatchObject({ entries: 0, organizations: [], alarmed: [orgId] });
    const looked = await runRetention({ orgIds: [orgId], dryRun: true });
    expect(looked).toMatchObject({
      rows: 0,
      organizations: [{ error: expect.stringContaining("nothing is removed") }],
    });
  });

  it("counts expired rows correctly whether they are the smaller or larger part", async () => {
    const { id: orgId } = await createOrg();
    const many = (count: number, days: number) => Array.from({ length: count }, () => ({ orgId, timestamp: at(days) }));
    await appendEvents([...many(300, 100), ...many(3, 20)]);
    expect((await preview(orgId, 50)).body).toMatchObject({ rows: 300 });
    await appendEvents(many(1500, 10));
    expect((await preview(orgId, 50)).body).toMatchObject({ rows: 300 });
    expect((await preview(orgId, 15)).body).toMatchObject({ rows: 303 });
  });

  it("returns zero rows for an empty chain and rejects an invalid number", async () => {
    const { id } = await createOrg();
    expect((await preview(id, 30)).body).toMatchObject({ rows: 0, heldBy: null });
    for (const bad of ["", "x", "0", "3651", "-1"]) expect((await preview(id, bad)).status).toBe(400);
  });
});
