import { describe, expect, it } from "vitest";
import { apiKeys, users } from "@/db/schema";
import { roles } from "@/testing/chain";
import {
  auditRows,
  call,
  changeRows,
  createApiKey,
  createOrg,
  createPartner,
  createUser,
  ctxFor,
  rowsIn,
  type TestApiKey,
  type TestUser,
} from "@/testing/factories";
import { revokeApiKey } from "./api-keys";

const create = (token: TestUser | TestApiKey, over: object = {}) =>
  call(token, "POST /api-keys", { name: "CI", permissions: ["audit:read"], ...over });
const edit = (token: TestUser | TestApiKey, id: string, body: object) => call(token, `PATCH /api-keys/${id}`, body);
const rotate = (token: TestUser | TestApiKey, id: string, body?: object) =>
  call(token, `POST /api-keys/${id}/rotate`, body);
const revoke = (token: TestUser | TestApiKey, id: string) => call(token, `DELETE /api-keys/${id}`);

describe("POST /api-keys", () => {
  it("returns the key once, stores only its hash, and records it without the key", async () => {
    const admin = await createUser({ role: "org_admin" });
    const created = await create(admin, { permissions: ["audit:read", "audit:write", "audit:read"] });
    expect(created).toMatchObject({
      status: 201,
      body: { orgId: admin.orgId, permissions: ["audit:read", "audit:write"], createdBy: admin.id },
    });
    const { key, id, prefix } = created.body;
    expect(key).toMatch(/^tmk_[\w-]{40}$/);
    expect((await call(key, "GET /me")).body).toMatchObject({
      user: { type: "api_key", name: "CI" },
      permissions: ["audit:read", "audit:write"],
    });
    const [row] = await rowsIn(apiKeys, { id });
    expect(JSON.stringify(row)).not.toContain(key);
    expect(key.startsWith(prefix)).toBe(true);
    expect((await call(admin, "GET /api-keys")).text).not.toContain(key);
    const rows = await auditRows(admin.orgId as string);
    expect(rows).toMatchObject([{ action: "api_key.create", resourceId: id }]);
    expect(JSON.stringify(rows.map((r) => r.details))).not.toContain(key);
  });

  it("creates a partner key for all its organizations or for one", async () => {
    const partner = await createPartner();
    const org = await createOrg({ partnerId: partner.id });
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    expect((await create(admin)).body).toMatchObject({ orgId: null, partnerId: partner.id });
    expect((await create(admin, { orgId: org.id })).body).toMatchObject({ orgId: org.id });
    expect((await create(admin, { orgId: (await createOrg()).id })).status).toBe(403);
    const limited = await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [org.id] });
    expect((await create(limited)).status).toBe(403);
    const reach = await Promise.all([admin, limited].map((token) => call(token, "GET /me")));
    expect(reach.map(({ body }) => body.allOrganizations)).toEqual([true, false]);
    expect((await create(limited, { orgId: org.id })).status).toBe(201);
  });

  it("grants only the creator's permissions, except audit:write, which only a person can grant", async () => {
    const key = await createApiKey({ permissions: ["api_keys:manage"] });
    expect((await create(key, { permissions: ["audit:write"] })).status).toBe(403);
    expect((await create(key, { permissions: ["audit:read"] })).status).toBe(403);
    const writer = await createApiKey({ permissions: ["api_keys:manage", "audit:write"] });
    expect((await create(writer, { permissions: ["audit:write"] })).status).toBe(201);
    expect(
      (await create(await createUser({ role: "org_admin" }), { permissions: ["custom_fields:import"] })).status,
    ).toBe(403);
    expect((await create(await createUser({ role: "org_technician" }))).status).toBe(403);
  });

  it("rejects invalid bodies", async () => {
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
      expect((await create(admin, over)).status, JSON.stringify(over)).toBe(400);
  });
});

describe("PATCH /api-keys/:id", () => {
  it("changes name, permissions and expiry immediately and records before and after", async () => {
    const admin = await createUser({ role: "org_admin" });
    const { body: created } = await create(admin, { permissions: ["audit:read", "devices:read"] });
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const changed = await edit(admin, created.id, { name: "Nightly", permissions: ["audit:read"], expiresAt });
    expect(changed).toMatchObject({ status: 200, body: { name: "Nightly", permissions: ["audit:read"], expiresAt } });
    expect((await call(created.key, "GET /me")).body.permissions).toEqual(["audit:read"]);
    expect((await edit(admin, created.id, {})).body).toMatchObject({ name: "Nightly", expiresAt });
    expect((await edit(admin, created.id, { expiresAt: null })).body.expiresAt).toBeNull();
    const rows = (await auditRows(admin.orgId as string)).filter((r) => r.action === "api_key.update");
    expect(rows.map((r) => r.details)).toEqual([
      {
        before: { name: "CI", permissions: ["audit:read", "devices:read"], expiresAt: null },
        after: { name: "Nightly", permissions: ["audit:read"], expiresAt },
      },
      { before: { expiresAt }, after: { expiresAt: null } },
    ]);
  });

  it("cannot leave a key with more permissions than its editor may grant", async () => {
    const orgId = (await createOrg()).id;
    const editor = await createApiKey({ orgId, permissions: ["api_keys:manage", "audit:read"] });
    const weak = await createApiKey({ orgId, permissions: ["audit:read"] });
    const strong = await createApiKey({ orgId, permissions: ["audit:write"] });
    expect((await edit(editor, weak.id, { permissions: ["audit:read", "audit:write"] })).status).toBe(403);
    expect((await edit(editor, editor.id, { permissions: ["api_keys:manage", "audit:export"] })).status).toBe(403);
    expect((await edit(editor, strong.id, { name: "Mine" })).status).toBe(403);
    expect((await rotate(editor, strong.id)).status).toBe(403);
    expect((await edit(editor, weak.id, { name: "Fine" })).status).toBe(200);
  });

  it("rejects a revoked key, a past expiry and invalid bodies", async () => {
    const admin = await createUser({ role: "org_admin" });
    const orgId = admin.orgId as string;
    const key = await createApiKey({ orgId });
    for (const body of [{ expiresAt: "2020-01-01T00:00:00Z" }, { name: " " }, { permissions: [] }, { orgId }])
      expect((await edit(admin, key.id, body)).status, JSON.stringify(body)).toBe(400);
    expect((await edit(admin, (await createApiKey({ orgId, revoked: true })).id, { name: "x" })).status).toBe(409);
  });
});

describe("POST /api-keys/:id/rotate", () => {
  it("returns the new secret once; the old one works until the overlap ends", async () => {
    const admin = await createUser({ role: "org_admin" });
    const { body: created } = await create(admin);
    const turned = await rotate(admin, created.id, { overlapSeconds: 3600 });
    expect(turned).toMatchObject({ status: 200, body: { id: created.id, permissions: created.permissions } });
    expect(Date.parse(turned.body.formerUntil) - Date.now()).toBeGreaterThan(3_500_000);
    for (const token of [created.key, turned.body.key]) expect((await call(token, "GET /me")).status).toBe(200);
    await changeRows(apiKeys, { id: created.id }, { formerUntil: new Date(Date.now() - 1) });
    expect((await call(created.key, "GET /me")).status).toBe(401);
    expect((await call(turned.body.key, "GET /me")).status).toBe(200);
    const rows = await auditRows(admin.orgId as string);
    expect(rows[1]).toMatchObject({ action: "api_key.rotate", resourceId: created.id });
    expect(JSON.stringify(rows.map((r) => r.details))).not.toContain(turned.body.key);
    expect((await call(admin, "GET /api-keys")).text).not.toContain(turned.body.key);
  });

  it("ends the old secret immediately without an overlap, and any earlier one", async () => {
    const admin = await createUser({ role: "org_admin" });
    const { body: first } = await create(admin);
    const { body: second } = await rotate(admin, first.id);
    const { body: third } = await rotate(admin, first.id);
    expect((await call(first.key, "GET /me")).status).toBe(401);
    expect((await call(second.key, "GET /me")).status).toBe(200);
    const { body: fourth } = await rotate(admin, first.id, { overlapSeconds: 0 });
    for (const { key } of [second, third]) expect((await call(key, "GET /me")).status).toBe(401);
    expect((await call(fourth.key, "GET /me")).status).toBe(200);
    await revoke(admin, first.id);
    expect((await call(fourth.key, "GET /me")).status).toBe(401);
    expect((await rotate(admin, first.id)).status).toBe(409);
  });

  it("ends the old secret when the key is revoked, and rejects invalid overlaps", async () => {
    const admin = await createUser({ role: "org_admin" });
    const { body: created } = await create(admin);
    await rotate(admin, created.id);
    await revoke(admin, created.id);
    expect((await call(created.key, "GET /me")).status).toBe(401);
    for (const overlapSeconds of [-1, 1.5, 604_801, "60"])
      expect((await rotate(admin, created.id, { overlapSeconds })).status).toBe(400);
  });
});

describe("DELETE /api-keys/:id", () => {
  it("revokes immediately and permanently, and records it once", async () => {
    const admin = await createUser({ role: "org_admin" });
    const key = await createApiKey({ orgId: admin.orgId as string });
    expect((await call(key, "GET /me")).status).toBe(200);
    expect((await revoke(admin, key.id)).status).toBe(204);
    expect((await call(key, "GET /me")).status).toBe(401);
    expect((await revoke(admin, key.id)).status).toBe(204);
    expect(await auditRows(admin.orgId as string)).toMatchObject([
      { action: "api_key.revoke", resourceId: key.id, resourceName: key.name },
    ]);
    expect((await call(admin, "GET /api-keys")).body.data[0].revokedAt).not.toBeNull();
  });

  it("does not revoke a key if the audit entry cannot be written", async () => {
    const partner = await createPartner();
    const ctx = await ctxFor(await createUser({ role: "partner_admin", partnerId: partner.id }));
    const { id } = await createApiKey({ partnerId: partner.id });
    const attempt = () => revokeApiKey.run(ctx, { id });
    await roles.owner.begin(async (tx) => {
      await tx`LOCK TABLE organizations IN ACCESS EXCLUSIVE MODE`;
      const failed = expect(attempt()).rejects.toThrow();
      // The database goes away while the organization is looked up that the entry belongs to.
      const lose = () =>
        roles.app`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND query LIKE '%"organizations"%' AND pid <> pg_backend_pid()`;
      await expect.poll(async () => (await lose()).length).toBeGreaterThan(0);
      await failed;
    });
    expect(await auditRows(partner.homeOrgId)).toEqual([]);
    await attempt();
    expect(await auditRows(partner.homeOrgId)).toMatchObject([{ action: "api_key.revoke", resourceId: id }]);
  });

  it("returns 404 for a partner's key to an organization's administrator", async () => {
    const admin = await createUser({ role: "org_admin" });
    const wide = await createApiKey({ partnerId: admin.partnerId as string });
    expect((await revoke(admin, wide.id)).body).toMatchObject({ status: 404, detail: "No such API key." });
  });
});

it("GET /api-keys lists the caller's own keys by page", async () => {
  const admin = await createUser({ role: "org_admin" });
  await createApiKey();
  for (let i = 0; i < 3; i++) await create(admin, { name: `Key ${i}` });
  const page = await call(admin, "GET /api-keys?limit=2&page=2");
  expect(page.body).toMatchObject({
    data: [{ name: "Key 0" }],
    pagination: { page: 2, limit: 2, total: 3, totalPages: 2 },
  });
});

it("GET /api-keys shows a key's last use and whether its creator is disabled", async () => {
  const admin = await createUser({ role: "org_admin" });
  const gone = await createUser({ role: "org_admin", orgId: admin.orgId as string });
  const { body: created } = await create(gone);
  await create(admin);
  await call({ token: created.key, ip: "203.0.113.9" }, "GET /me");
  await changeRows(users, { id: gone.id }, { disabledAt: new Date() });
  const { data } = (await call(admin, "GET /api-keys")).body;
  expect(data).toMatchObject([
    { createdBy: admin.id, isCreatorDisabled: false, lastUsedIp: null },
    { createdBy: gone.id, isCreatorDisabled: true, lastUsedIp: "203.0.113.9" },
  ]);
  expect((await call(created.key, "GET /me")).status).toBe(200);
});
