import { expect, it } from "vitest";
import { admit, perform } from "@/server/ground/operation";
import { appendEvents } from "@/testing/audit-entries";
import { daysAgo, roles } from "@/testing/chain";
import { auditRows, createOrg, createPartner, createUser, ctxFor } from "@/testing/factories";
import { signedDaysAgo } from "@/testing/permit";
import { previewMany, previewPruning, setPolicies } from "./policy";

const old = (orgId: string, days: number) => ({ orgId, timestamp: new Date(daysAgo(days)) });
const daysOf = async (ids: string[]) => {
  const rows = await roles.owner<{ org_id: string; retention_days: number }[]>`
    SELECT org_id, retention_days FROM audit_retention_policies WHERE org_id IN ${roles.owner(ids)}`;
  return ids.map((id) => rows.find(({ org_id }) => org_id === id)?.retention_days ?? null);
};

async function world() {
  const partner = await createPartner();
  const ids = await Promise.all([1, 2, 3].map(async () => (await createOrg({ partnerId: partner.id })).id));
  const admin = await ctxFor(await createUser({ role: "partner_admin", partnerId: partner.id }));
  const [aged = "", young = "", empty = ""] = ids;
  await appendEvents([old(aged, 100), old(aged, 95), old(aged, 1)]);
  await signedDaysAgo(aged, 100);
  await appendEvents([old(young, 2)]);
  return { partner, ids, admin, aged, young, empty };
}

it("previews several organizations with the same counts as each alone", async () => {
  const { ids, admin, aged } = await world();
  for (const retentionDays of [90, 98, 365]) {
    const { organizations, entries } = await perform(previewMany, admin, { orgId: ids, retentionDays });
    const single = await Promise.all(ids.map((id) => previewPruning.run(admin, { id, retentionDays })));
    expect(entries).toBe(single.reduce((sum, { rows }) => sum + rows, 0));
    expect(organizations.map(({ orgId }) => orgId)).toEqual(
      single.filter(({ rows }) => rows > 0).map(({ orgId }) => orgId),
    );
  }
  const { organizations } = await perform(previewMany, admin, { orgId: [...ids, aged], retentionDays: 90 });
  expect(organizations).toMatchObject([{ orgId: aged, entries: 3 }]);
});

it("sets the retention of all, records each change and skips unchanged ones", async () => {
  const { ids, admin, aged, young, empty } = await world();
  await roles.owner`DELETE FROM audit_retention_policies WHERE org_id = ${empty}`;
  await roles.owner`UPDATE audit_retention_policies SET retention_days = 400 WHERE org_id = ${young}`;
  expect(await perform(setPolicies, admin, { orgId: ids, retentionDays: 400 })).toEqual({
    organizations: 3,
    changed: 2,
  });
  expect(await daysOf(ids)).toEqual([400, 400, 400]);
  const details = async (id: string) =>
    (await auditRows(id)).filter((r) => r.action === "organization.audit_retention.update").map((r) => r.details);
  const after = { configured: true, retentionDays: 400 };
  expect(await details(aged)).toEqual([{ before: { configured: true, retentionDays: 365 }, after }]);
  expect(await details(young)).toEqual([]);
  expect(await details(empty)).toEqual([{ before: { configured: false, retentionDays: null }, after }]);
});

it("changes nothing if one organization is foreign or the permission is missing", async () => {
  const { ids, admin, partner } = await world();
  const foreign = (await createOrg()).id;
  const forbidden = { code: "forbidden" };
  await expect(async () =>
    perform(setPolicies, admin, { orgId: [...ids, foreign], retentionDays: 30 }),
  ).rejects.toMatchObject(forbidden);
  await expect(async () => perform(previewMany, admin, { orgId: [foreign], retentionDays: 30 })).rejects.toMatchObject(
    forbidden,
  );
  expect(await daysOf([...ids, foreign])).toEqual([365, 365, 365, 365]);
  const technician = await ctxFor(await createUser({ role: "partner_technician", partnerId: partner.id }));
  expect(() => admit(technician, setPolicies)).toThrow("audit:manage");
});
