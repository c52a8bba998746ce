import { symlinkSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { auditExports, users } from "@/db/schema";
import { appendEvents } from "@/testing/audit-entries";
import { roles } from "@/testing/chain";
import {
  auditRows,
  call,
  changeRows,
  createOrg,
  createPartner,
  createUser,
  rowsIn,
  type TestUser,
} from "@/testing/factories";
import { workOff } from "@/testing/jobs";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { sweepExports } from "./drop";
import { createExportsFolder, exportPath } from "./files";
import { exportWork } from "./run";

beforeAll(() => {
  withSettings({ TRAILMARK_DATA_DIR: tempFolder() });
  createExportsFolder();
});

const recorded = async (orgId: string) =>
  (await auditRows(orgId)).filter((row) => row.action.startsWith("audit_logs.export"));
/** How often a download was recorded in each organization. */
const downloads = (orgIds: string[]) =>
  Promise.all(orgIds.map(async (id) => (await recorded(id)).filter((row) => row.action.endsWith(".download")).length));

/** A partner with two customers, an entry of the first of them, and who may export those of both. */
async function arrange() {
  const { id: partnerId, homeOrgId } = await createPartner();
  const [a, b] = [await createOrg({ partnerId }), await createOrg({ partnerId })];
  await appendEvents([{ orgId: a.id, resourceName: "Billed" }]);
  const orgIds = [a.id, b.id];
  return { homeOrgId, orgIds, chief: await createUser({ partnerId, role: "partner_admin", organizationIds: orgIds }) };
}

async function ask(token: TestUser, filters: object, orgIds?: string[]): Promise<string> {
  const body = { format: "json", filters, ...(orgIds && { orgId: orgIds.join() }) };
  return (await call(token, "POST /audit-logs/exports", body)).body.id;
}

describe("recording an export of several organizations", () => {
  const filters = { user: "jane@fabrikam.example" };

  it.each([
    ["it fails", async (id: string) => symlinkSync("/dev/full", exportPath(id, 1))],
    ["its creator lost access", (_: string, { id }: TestUser) => changeRows(users, { id }, { disabledAt: new Date() })],
  ])("uses the creator's organization when %s, not the first one", async (_, spoil) => {
    const { homeOrgId, orgIds, chief } = await arrange();
    const id = await ask(chief, filters);
    await spoil(id, chief);
    await workOff(exportWork);
    expect(await recorded(homeOrgId)).toMatchObject([{ result: "failure", details: { exportId: id, filters } }]);
    for (const orgId of orgIds) expect(await recorded(orgId)).toEqual([]);
  });

  it("uses the creator's organization when the export expires unwritten", async () => {
    const { homeOrgId, orgIds, chief } = await arrange();
    const id = await ask(chief, filters);
    const expiresAt = new Date(Date.now() - 1);
    await changeRows(auditExports, { id }, { expiresAt });
    await sweepExports();
    expect(await recorded(homeOrgId)).toMatchObject([
      { actorType: "system", result: "failure", details: { exportId: id } },
    ]);
    for (const orgId of orgIds) expect(await recorded(orgId)).toEqual([]);
  });

  it("uses each partner's home organization for a platform operator, without filters", async () => {
    const [one, other] = [await arrange(), await arrange()];
    const id = await ask(await createUser({ role: "system_admin" }), filters, [...one.orgIds, ...other.orgIds]);
    symlinkSync("/dev/full", exportPath(id, 1));
    await workOff(exportWork);
    for (const { homeOrgId, orgIds } of [one, other]) {
      expect(await recorded(homeOrgId)).toMatchObject([
        { result: "failure", details: { exportId: id, filters: null } },
      ]);
      for (const orgId of orgIds) expect(await recorded(orgId)).toEqual([]);
    }
  });

  it("records an operator's empty export and its download in the home organization", async () => {
    const [one, other] = [await arrange(), await arrange()];
    const operator = await createUser({ role: "system_admin" });
    const id = await ask(operator, { resource: "Nothing at all" }, [...one.orgIds, ...other.orgIds]);
    await workOff(exportWork);
    expect((await call(operator, `GET /audit-logs/exports/${id}/file`)).status).toBe(200);
    for (const { homeOrgId } of [one, other])
      expect((await recorded(homeOrgId)).map(({ action, details }) => [action, details])).toMatchObject([
        ["audit_logs.export", { exportId: id, rows: 0, filters: null }],
        ["audit_logs.export.download", { firstByte: 0 }],
      ]);
  });

  it.each([
    ["of each organization with entries in the file", { resource: "Billed" }, [1, 0, 0]],
    ["of its creator if the file has no entries", { resource: "Nothing at all" }, [0, 0, 1]],
  ])("records each download in the log %s", async (_, asked, counts) => {
    const { homeOrgId, orgIds, chief } = await arrange();
    const id = await ask(chief, asked);
    await workOff(exportWork);
    expect((await call(chief, `GET /audit-logs/exports/${id}/file`)).status).toBe(200);
    expect(await downloads([...orgIds, homeOrgId])).toEqual(counts);
  });
});

it("an export restarted after it was recorded is recorded again if its file changed", async () => {
  const admin = await createUser();
  const orgId = admin.orgId as string;
  await appendEvents([
    { orgId, actorType: "user", actorId: admin.id, actorEmail: admin.email, resourceName: "Billed" },
  ]);
  const id = await ask(admin, { resource: "Billed" });
  const stored = async () => (await rowsIn(auditExports, { id }))[0];
  await roles.owner.unsafe(
    `ALTER TABLE audit_exports ADD CONSTRAINT refused CHECK (id <> '${id}' OR status <> 'done') NOT VALID`,
  );
  await workOff(exportWork).finally(() => roles.owner`ALTER TABLE audit_exports DROP CONSTRAINT refused`);
  expect(await stored()).toMatchObject({ status: "running", attempt: 1 });
  await changeRows(users, { id: admin.id }, { name: "Renamed" });
  await roles.owner`UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = ${`export ${id}`}`;
  await workOff(exportWork);
  const row = await stored();
  expect(row).toMatchObject({ status: "done", attempt: 2 });
  const digests = (await recorded(orgId)).map(({ details }) => (details as { sha256: string }).sha256);
  expect(digests).toEqual([expect.any(String), row?.sha256]);
  expect(digests[0]).not.toBe(row?.sha256);
});
