import { expect, it } from "vitest";
import { auditRows, call, createOrg, createUser, type TestUser } from "@/testing/factories";

const create = (token: TestUser, body: object) => call(token, "POST /enrollment-keys", body);
const revoke = (token: TestUser, id: string) => call(token, `DELETE /enrollment-keys/${id}`);

it("creates a key shown once, lists and revokes it, and records each action", async () => {
  const admin = await createUser({ role: "org_admin" });
  const created = await create(admin, {
    orgId: admin.orgId,
    maxUses: 5,
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  });
  expect(created).toMatchObject({ status: 201, body: { orgId: admin.orgId, maxUses: 5, uses: 0 } });
  expect(created.body.key).toMatch(/^tme_[\w-]{40}$/);
  const listed = await call(admin, "GET /enrollment-keys");
  expect(listed.body).toMatchObject({
    data: [{ id: created.body.id, prefix: created.body.prefix, revokedAt: null }],
    pagination: { total: 1 },
  });
  expect(listed.text).not.toContain(created.body.key);
  expect((await revoke(admin, created.body.id)).status).toBe(204);
  expect((await revoke(admin, created.body.id)).status).toBe(204);
  expect((await call(admin, "GET /enrollment-keys")).body.data[0].revokedAt).not.toBeNull();
  expect((await auditRows(admin.orgId as string)).map((r) => r.action)).toEqual([
    "enrollment_key.create",
    "enrollment_key.revoke",
  ]);
});

it("defaults to the caller's organization and rejects a foreign one with 403", async () => {
  const admin = await createUser({ role: "org_admin" });
  expect((await create(admin, {})).body).toMatchObject({ orgId: admin.orgId, maxUses: null, expiresAt: null });
  expect((await create(admin, { orgId: (await createOrg()).id })).status).toBe(403);
  const partnerAdmin = await createUser({ role: "partner_admin" });
  expect((await create(partnerAdmin, {})).status).toBe(400);
  expect(
    (await create(partnerAdmin, { orgId: (await createOrg({ partnerId: partnerAdmin.partnerId as string })).id }))
      .status,
  ).toBe(201);
  const operator = await createUser({ role: "system_admin" });
  expect((await create(operator, { orgId: crypto.randomUUID() })).status).toBe(404);
  expect((await create(operator, { orgId: admin.orgId })).status).toBe(201);
});

it("rejects invalid bodies", async () => {
  const admin = await createUser({ role: "org_admin" });
  for (const body of [
    { maxUses: 0 },
    { maxUses: 1.5 },
    { maxUses: "5" },
    { maxUses: 1e12 },
    { expiresAt: "2020-01-01T00:00:00Z" },
    { key: "tme_x" },
  ])
    expect((await create(admin, body)).status, JSON.stringify(body)).toBe(400);
});
