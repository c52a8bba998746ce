import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { DELETE } from "@/app/api/v1/api-keys/[id]/route";
import { GET as list, POST } from "@/app/api/v1/api-keys/route";
import { GET as me } from "@/app/api/v1/me/route";
import { asSystem } from "@/db/client";
import { apiKeys } from "@/db/schema";
import {
  auditRows,
  call,
  createApiKey,
  createOrg,
  createPartner,
  createUser,
  type TestApiKey,
  type TestUser,
} from "@/testing/factories";

const make = (token: TestUser | TestApiKey, over: object = {}) =>
  call(POST, { token, body: { name: "CI", permissions: ["audit:read"], ...over } });
const revoke = (token: TestUser | TestApiKey, id: string) => call(DELETE, { method: "DELETE", token, params: { id } });

describe("POST /api-keys", () => {
  it("answers the key once; it works, is stored as a hash, and is recorded without it", async () => {
    const admin = await createUser({ role: "org_admin" });
    const made = await make(admin, { permissions: ["audit:read", "audit:write", "audit:read"] });
    expect(made).toMatchObject({
      status: 201,
      body: { orgId: admin.orgId, permissions: ["audit:read", "audit:write"], createdBy: admin.id },
    });
    const { key, id, prefix } = made.body;
    expect(key).toMatch(/^tmk_[\w-]{40}$/);
    expect((await call(me, { token: key })).body).toMatchObject({
      user: { type: "api_key", name: "CI" },
      permissions: ["audit:read", "audit:write"],
    });
    const [row] = await asSystem((tx) => tx.select().from(apiKeys).where(eq(apiKeys.id, id)));
    expect(JSON.stringify(row)).not.toContain(key);
    expect(key.startsWith(prefix)).toBe(true);
    expect((await call(list, { token: admin })).text).not.toContain(key);
    const rows = await auditRows(admin.orgId as string);
    expect(rows).toMatchObject([{ action: "api_key.create", resourceId: id }]);
    expect(JSON.stringify(rows.map((r) => r.details))).not.toContain(key);
  });

  it("gives a partner's key its whole reach, or one organization's", async () => {
    const partner = await createPartner();
    const org = await createOrg({ partnerId: partner.id });
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    expect((await make(admin)).body).toMatchObject({ orgId: null, partnerId: partner.id });
    expect((await make(admin, { orgId: org.id })).body).toMatchObject({ orgId: org.id });
    expect((await make(admin, { orgId: (await createOrg()).id })).status).toBe(403);
    const limited = await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [org.id] });
    expect((await make(limited)).status).toBe(403);
    expect((await make(limited, { orgId: org.id })).status).toBe(201);
  });

  it("grants nothing that its maker lacks, except audit:write", async () => {
    const key = await createApiKey({ permissions: ["api_keys:manage"] });
    expect((await make(key, { permissions: ["audit:write"] })).status).toBe(201);
    expect((await make(key, { permissions: ["audit:read"] })).status).toBe(403);
    expect(
      (await make(await createUser({ role: "org_admin" }), { permissions: ["custom_fields:import"] })).status,
    ).toBe(403);
    expect((await make(await createUser({ role: "org_technician" }))).status).toBe(403);
  });

  it("refuses bad bodies", async () => {
    const admin = await createUser({ role: "org_admin" });
    for (const over of [
      { name: "" },
      { permissions: [] },
      { permissions: ["all"] },
      { expiresAt: "2020-01-01T00:00:00Z" },
      { expiresAt: "soon" },
      { extra: 1 },
      { orgId: "x" },
    ])
      expect((await make(admin, over)).status, JSON.stringify(over)).toBe(400);
  });
});

describe("DELETE /api-keys/:id", () => {
  it("revokes at once and for good, and is recorded once", async () => {
    const admin = await createUser({ role: "org_admin" });
    const key = await createApiKey({ orgId: admin.orgId as string });
    expect((await call(me, { token: key })).status).toBe(200);
    expect((await revoke(admin, key.id)).status).toBe(204);
    expect((await call(me, { token: key })).status).toBe(401);
    expect((await revoke(admin, key.id)).status).toBe(204);
    expect(await auditRows(admin.orgId as string)).toMatchObject([
      { action: "api_key.revoke", resourceId: key.id, resourceName: key.name },
    ]);
    expect((await call(list, { token: admin })).body.data[0].revokedAt).not.toBeNull();
  });

  it("treats a foreign key as a missing one, and a partner's as foreign to its organization", async () => {
    const admin = await createUser({ role: "org_admin" });
    const wide = await createApiKey({ partnerId: admin.partnerId as string });
    const foreign = await createApiKey();
    for (const id of [foreign.id, wide.id, crypto.randomUUID()])
      expect((await revoke(admin, id)).body).toMatchObject({ status: 404, detail: "No such API key." });
    expect((await call(me, { token: foreign })).status).toBe(200);
  });
});

it("GET /api-keys lists the caller's own and pages", async () => {
  const admin = await createUser({ role: "org_admin" });
  await createApiKey();
  for (let i = 0; i < 3; i++) await make(admin, { name: `Key ${i}` });
  const page = await call(list, { token: admin, path: "/?limit=2&page=2" });
  expect(page.body).toMatchObject({
    data: [{ name: "Key 0" }],
    pagination: { page: 2, limit: 2, total: 3, totalPages: 2 },
  });
  expect((await call(list, { token: admin, path: `/?orgId=${(await createOrg()).id}` })).status).toBe(403);
  expect((await call(list, { token: await createUser({ role: "org_viewer" }) })).status).toBe(403);
});
