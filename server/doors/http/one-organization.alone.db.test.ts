import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { closeFolds } from "@/server/audit/record/fold";
import { newestCheckpoint } from "@/server/evidence/checkpoints/note-store";
import { appendEvents } from "@/testing/audit-entries";
import { auditRows, call, createOrg, createPartner, createUser } from "@/testing/factories";

it("asks for orgId when the caller lacks the partner's own organization", async () => {
  const partner = await createPartner();
  const orgs = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
  const organizationIds = orgs.map(({ id }) => id);
  const limited = await createUser({ role: "partner_technician", partnerId: partner.id, organizationIds });
  await appendEvents([{ orgId: partner.homeOrgId }]);
  for (const answer of [
    await call(limited, "GET /audit-logs/integrity"),
    await call(limited, "GET /audit-logs/checkpoints?sign=true"),
  ])
    expect(answer.body).toMatchObject({ status: 400, errors: [{ path: "orgId" }] });
  closeFolds();
  expect((await auditRows(partner.homeOrgId)).map(({ action }) => action)).toEqual(["device.create"]);
  const foreign = `GET /audit-logs/checkpoints?sign=true&orgId=${partner.homeOrgId}`;
  expect((await call(limited, foreign)).status).toBe(403);
  expect(await asSystem((tx) => newestCheckpoint(tx, partner.homeOrgId))).toBeNull();
  const chief = await createUser({ role: "partner_admin", partnerId: partner.id });
  expect((await call(chief, "GET /audit-logs/checkpoints?sign=true")).body.orgId).toBe(partner.homeOrgId);
});
