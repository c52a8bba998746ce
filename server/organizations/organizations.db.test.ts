import postgres from "postgres";
import { describe, expect, inject, it } from "vitest";
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

const partnerAdmin = async () => {
  const partner = await createPartner();
  return { partner, admin: await createUser({ role: "partner_admin", partnerId: partner.id }) };
};

describe("GET /orgs/organizations", () => {
  it("lists exactly the organizations that the caller can access", async () => {
    const { partner, admin } = await partnerAdmin();
    const org = await createOrg({ partnerId: partner.id, name: "Zebra 100% Ltd" });
    const ids = async (token: TestUser | TestApiKey, query = "") =>
      (await call(token, `GET /orgs/organizations${query}`)).body.data.map((o: { id: string }) => o.id);
    expect(await ids(admin)).toEqual(expect.arrayContaining([partner.homeOrgId, org.id]));
    expect(await ids(admin)).toHaveLength(2);
    expect(await ids(await createUser({ role: "org_viewer", orgId: org.id }))).toEqual([org.id]);
    expect(await ids(await createApiKey({ orgId: org.id }))).toEqual([org.id]);
    expect(await ids(admin, "?search=100%25")).toEqual([org.id]);
    expect(await ids(admin, `?orgId=${org.id}`)).toEqual([org.id]);
    expect((await call(admin, "GET /orgs/organizations?limit=100&page=2")).body).toMatchObject({
      data: [],
      pagination: { page: 2, limit: 100, total: 2, totalPages: 1 },
    });
  });
});

describe("POST /orgs/organizations", () => {
  it("creates an organization with a unique slug, accessible to its creator and recorded", async () => {
    const { partner, admin } = await partnerAdmin();
    const first = await call(admin, "POST /orgs/organizations", { name: " Contoso Ltd " });
    expect(first).toMatchObject({
      status: 201,
      body: { name: "Contoso Ltd", slug: "contoso-ltd", partnerId: partner.id, isHome: false },
    });
    const second = await call(admin, "POST /orgs/organizations", { name: "Contoso Ltd" });
    expect(second.body.slug).toMatch(/^contoso-ltd-[0-9a-f]{6}$/);
    expect((await call(admin, `GET /orgs/organizations/${first.body.id}`)).body).toEqual(first.body);
    expect(await auditRows(first.body.id)).toMatchObject([
      { action: "organization.create", actorId: admin.id, resourceId: first.body.id, resourceName: "Contoso Ltd" },
    ]);
  });

  it("grants a limited creator access to the new organization and records it", async () => {
    const { partner, admin } = await partnerAdmin();
    const { id: chosen } = await createOrg({ partnerId: partner.id });
    const limited = await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [chosen] });
    const { link } = (await call(admin, `POST /users/${limited.id}/invite`)).body;
    const created = await call(limited, "POST /orgs/organizations", { name: "New" });
    expect((await call(limited, "GET /orgs/organizations")).body.data.map((o: { id: string }) => o.id)).toContain(
      created.body.id,
    );
    const body = { token: new URL(link).hash.slice(1), password: "chosen by a link from before" };
    expect((await call(null, "POST /auth/password/reset", body)).status).toBe(400);
    expect((await auditRows(partner.homeOrgId)).filter((r) => r.action === "user.permission.change")).toMatchObject([
      {
        actorId: limited.id,
        resourceId: limited.id,
        details: {
          before: { organizationIds: [chosen] },
          after: { organizationIds: [chosen, created.body.id].sort() },
        },
      },
    ]);
    await call(admin, "POST /orgs/organizations", { name: "Of one who reaches all" });
    const changes = (await auditRows(partner.homeOrgId)).filter((r) => r.action === "user.permission.change");
    expect(changes).toHaveLength(1);
  });

  it("is refused at 10,000 organizations per partner", async () => {
    const { partner, admin } = await partnerAdmin();
    const owner = postgres(inject("ownerDatabaseUrl"), { max: 1 });
    await owner`
      INSERT INTO organizations (id, partner_id, name, slug)
      SELECT gen_random_uuid(), ${partner.id}, 'Full', 'full-' || n FROM generate_series(1, 9999) n`;
    const refused = await call(admin, "POST /orgs/organizations", { name: "One too many" });
    // What looks at every organization, in other suites, has no more to look at than before.
    await owner`DELETE FROM organizations WHERE partner_id = ${partner.id} AND slug LIKE 'full-%'`;
    await owner.end();
    expect(refused).toMatchObject({ status: 409, body: { detail: "There are 10,000 organizations already." } });
    expect((await call(admin, "POST /orgs/organizations", { name: "One of few" })).status).toBe(201);
  });

  it("requires a partner caller with the permission", async () => {
    const partner = await createPartner();
    const body = { name: "X" };
    expect((await call(await createUser({ role: "org_admin" }), "POST /orgs/organizations", body)).status).toBe(403);
    expect(
      (
        await call(
          await createUser({ role: "partner_technician", partnerId: partner.id }),
          "POST /orgs/organizations",
          body,
        )
      ).status,
    ).toBe(403);
    expect((await call(await createApiKey({ partnerId: partner.id }), "POST /orgs/organizations", body)).status).toBe(
      403,
    );
    expect(
      (
        await call(
          await createApiKey({ partnerId: partner.id, permissions: ["organizations:manage"] }),
          "POST /orgs/organizations",
          body,
        )
      ).status,
    ).toBe(201);
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    expect(
      (await call(admin, "POST /orgs/organizations", { name: "X", partnerId: (await createPartner()).id })).status,
    ).toBe(403);
    for (const bad of [{}, { name: "  " }, { name: "x".repeat(256) }, { name: "X", slug: "x" }, { name: 5 }])
      expect((await call(admin, "POST /orgs/organizations", bad)).status, JSON.stringify(bad)).toBe(400);
  });
});

describe("GET and PATCH /orgs/organizations/:id", () => {
  it("renames and records before and after, unless the name is unchanged", async () => {
    const org = await createOrg({ name: "Old" });
    const admin = await createUser({ role: "org_admin", orgId: org.id });
    expect((await call(admin, `PATCH /orgs/organizations/${org.id}`, { name: "New" })).body).toMatchObject({
      name: "New",
      slug: `org-${org.id}`,
    });
    await call(admin, `PATCH /orgs/organizations/${org.id}`, { name: "New" });
    expect(await auditRows(org.id)).toMatchObject([
      { action: "organization.update", details: { before: { name: "Old" }, after: { name: "New" } } },
    ]);
  });
});
