import { setTimeout } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { notificationDeliveries } from "@/db/schema";
import { env } from "@/server/ground/env";
import { queueMail } from "@/server/notify/deliveries/queue";
import {
  auditRows,
  bearer,
  call,
  createApiKey,
  createOrg,
  createPartner,
  createUser,
  PASSWORD,
  type TestApiKey,
  type TestUser,
} from "@/testing/factories";
import { whileRefused } from "@/testing/while-refused";

type Who = TestUser | TestApiKey;
let n = 0;
const person = (over: object = {}) => ({
  email: `new-${process.pid}-${Date.now()}-${n++}@example.test`,
  password: PASSWORD,
  name: "New Person",
  ...over,
});
const create = (who: Who, over: object) => call(who, "POST /users", person(over));
const change = (who: Who, id: string, body: object) => call(who, `PATCH /users/${id}`, body);
const partnerOf = async () => {
  const partner = await createPartner();
  return {
    partner,
    org: await createOrg({ partnerId: partner.id }),
    admin: await createUser({ role: "partner_admin", partnerId: partner.id }),
  };
};

describe("POST /users", () => {
  it("creates a user who can sign in, records it and returns no hash", async () => {
    const { org, admin } = await partnerOf();
    const body = person({ role: "org_technician", orgId: org.id, department: "Support" });
    const created = await call(admin, "POST /users", body);
    expect(created).toMatchObject({
      status: 201,
      body: { email: body.email, role: "org_technician", orgId: org.id, department: "Support", disabled: false },
    });
    expect(created.text).not.toMatch(/argon2|password/i);
    expect((await call(null, "POST /auth/token", { email: body.email, password: PASSWORD })).status).toBe(200);
    const [row] = await auditRows(org.id);
    expect(row).toMatchObject({ action: "user.create", actorId: admin.id, resourceId: created.body.id });
    expect(JSON.stringify(row?.details)).not.toContain(PASSWORD);
  });

  it("is refused at 10,000 users per organization or partner staff, counted separately", async () => {
    const { partner, org, admin } = await partnerOf();
    const fill = (orgId: string | null, role: string) =>
      asSystem((tx) =>
        tx.execute(sql`
          INSERT INTO users (id, partner_id, org_id, email, name, role, disabled_at)
          SELECT gen_random_uuid(), ${partner.id}, ${orgId}, gen_random_uuid() || '@example.test', 'Full', ${role}, now()
          FROM generate_series(1, 10000)`),
      );
    await fill(org.id, "org_viewer");
    const refused = await create(admin, { role: "org_viewer", orgId: org.id });
    expect(refused).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect(refused.body.detail).toBe("There are 10,000 users already. Disabled ones count; enable one instead.");
    expect((await create(admin, { role: "partner_technician" })).status).toBe(201);
    await fill(null, "partner_technician");
    expect((await create(admin, { role: "partner_technician" })).status).toBe(409);
  });

  it("assigns an org admin's new user to the admin's organization", async () => {
    const admin = await createUser({ role: "org_admin" });
    expect((await create(admin, { role: "org_viewer" })).body).toMatchObject({
      orgId: admin.orgId,
      partnerId: admin.partnerId,
    });
    expect((await create(admin, { role: "org_viewer", orgId: (await createOrg()).id })).status).toBe(403);
  });

  it("cannot grant a higher role than the creator's", async () => {
    const { partner, org } = await partnerOf();
    const orgAdmin = await createUser({ role: "org_admin", orgId: org.id });
    expect((await create(orgAdmin, { role: "partner_technician" })).status).toBe(403);
    expect((await create(orgAdmin, { role: "partner_admin" })).status).toBe(403);
    const key = await createApiKey({
      partnerId: partner.id,
      permissions: ["users:manage", "audit:read", "devices:read", "custom_fields:read"],
    });
    expect((await create(key, { role: "org_viewer", orgId: org.id })).status).toBe(201);
    expect((await create(key, { role: "org_admin", orgId: org.id })).status).toBe(403);
    for (const role of ["org_technician", "org_viewer", "partner_technician"] as const)
      expect((await create(await createUser({ role }), { role: "org_viewer" })).status, role).toBe(403);
    expect((await create(orgAdmin, { role: "system_admin" })).status).toBe(400);
  });

  it("cannot grant partner staff wider access than the creator's", async () => {
    const { partner, org, admin } = await partnerOf();
    const other = await createOrg({ partnerId: partner.id });
    const limited = await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [org.id] });
    expect((await create(limited, { role: "partner_technician" })).status).toBe(403);
    expect((await create(limited, { role: "partner_technician", organizationIds: [other.id] })).status).toBe(403);
    expect((await create(limited, { role: "partner_technician", organizationIds: [org.id] })).body).toMatchObject({
      organizationIds: [org.id],
      orgId: null,
    });
    const viewer = await create(admin, { role: "partner_viewer", organizationIds: [org.id, other.id] });
    expect(viewer.body).toMatchObject({ role: "partner_viewer", organizationIds: [org.id, other.id] });
    expect((await create(admin, { role: "partner_technician" })).body).toMatchObject({
      organizationIds: null,
      partnerId: partner.id,
    });
    expect(
      (await create(admin, { role: "partner_technician", organizationIds: [(await createOrg()).id] })).status,
    ).toBe(403);
    expect((await auditRows(partner.homeOrgId)).map((r) => r.action)).toContain("user.create");
  });

  it("returns 409 for an email in use, in any case, and 400 for invalid bodies", async () => {
    const { org, admin } = await partnerOf();
    const taken = await create(admin, { role: "org_viewer", orgId: org.id, email: admin.email.toUpperCase() });
    expect(taken.body).toMatchObject({ status: 409, errors: [{ path: "email", message: "is already in use" }] });
    for (const over of [
      { role: "org_viewer" },
      { role: "partner_admin", orgId: org.id },
      { role: "org_viewer", orgId: org.id, password: "short" },
      { role: "org_viewer", orgId: org.id, email: "x" },
      { role: "boss" },
      { role: "org_viewer", orgId: org.id, admin: true },
    ])
      expect((await create(admin, over)).status, JSON.stringify(over)).toBe(400);
  });
});

describe("GET /users", () => {
  it("lists only users that the caller administers", async () => {
    const { partner, org, admin } = await partnerOf();
    const own = await createUser({ role: "org_admin", orgId: org.id, name: "Ann_Own" });
    await createUser();
    const ids = async (who: Who, query = "") =>
      (await call(who, `GET /users${query}`)).body.data.map((u: { id: string }) => u.id).sort();
    expect(await ids(admin)).toEqual([admin.id, own.id].sort());
    expect(await ids(own)).toEqual([own.id]);
    expect(await ids(admin, `?orgId=${org.id}`)).toEqual([own.id]);
    expect(await ids(admin, "?search=n_o")).toEqual([own.id]);
    expect(await ids(admin, "?search=x_x")).toEqual([]);
    expect((await call(admin, `GET /users?orgId=${(await createOrg()).id}`)).status).toBe(403);
    expect(
      (await call(await createUser({ role: "partner_technician", partnerId: partner.id }), "GET /users")).status,
    ).toBe(403);
  });
});

describe("PATCH /users/:id", () => {
  it("changes role, department and access immediately and records each", async () => {
    const { org, admin } = await partnerOf();
    const user = await createUser({ role: "org_technician", orgId: org.id });
    const theirs = await bearer(user);
    expect((await change(admin, user.id, { role: "org_viewer", department: "Sales" })).body).toMatchObject({
      role: "org_viewer",
      department: "Sales",
    });
    expect((await call(theirs, "GET /me")).body.permissions).toEqual([
      "audit:read",
      "custom_fields:read",
      "devices:read",
    ]);
    await change(admin, user.id, { disabled: true });
    expect((await call(theirs, "GET /me")).status).toBe(401);
    await change(admin, user.id, { disabled: false });
    expect((await call(theirs, "GET /me")).status).toBe(401);
    expect((await call(user, "GET /me")).status).toBe(200);
    expect(await auditRows(org.id)).toMatchObject([
      {
        action: "user.permission.change",
        resourceId: user.id,
        details: { before: { role: "org_technician" }, after: { role: "org_viewer" } },
      },
      { action: "user.update", details: { before: { department: "" }, after: { department: "Sales" } } },
      { action: "user.disable", details: { before: { disabled: false }, after: { disabled: true } } },
      { action: "user.enable", details: { before: { disabled: true }, after: { disabled: false } } },
    ]);
  });

  it("narrows the notified organizations to the user's new access", async () => {
    const { partner, org, admin } = await partnerOf();
    const [second, third] = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
    const user = await createUser({ role: "partner_technician", partnerId: partner.id });
    const chosen = async (body?: object) =>
      (await call(user, `${body ? "PUT" : "GET"} /me/notification-settings`, body)).body.organizationIds;
    const reach = (organizationIds: string[] | null) => change(admin, user.id, { organizationIds });
    await reach([org.id, second.id]);
    expect(await chosen()).toBeNull();
    expect(await chosen({ organizationIds: [org.id, second.id] })).toEqual([org.id, second.id]);
    await reach([third.id, second.id]);
    expect(await chosen()).toEqual([second.id]);
    await reach(null);
    expect(await chosen()).toEqual([second.id]);
    await reach([third.id]);
    expect(await chosen()).toBeNull();
  });

  it("deletes only the queued emails that a user may no longer see", async () => {
    const { partner, org, admin } = await partnerOf();
    const second = await createOrg({ partnerId: partner.id });
    const user = await createUser({ role: "partner_technician", partnerId: partner.id });
    const promoted = await change(admin, user.id, { role: "partner_admin" });
    expect(promoted.status).toBe(200);
    const notYet = { type: "notifications", subject: "x", at: new Date("2100-01-01"), mail: { text: "x" } };
    const queue = () =>
      asSystem(async (tx) => {
        for (const status of ["pending", "failed", "delivered"] as const) {
          const { id } = await queueMail(tx, user, notYet);
          await tx.update(notificationDeliveries).set({ status }).where(eq(notificationDeliveries.id, id));
        }
      });
    const left = () => asSystem((tx) => tx.$count(notificationDeliveries, eq(notificationDeliveries.userId, user.id)));
    await queue();
    await change(admin, user.id, { department: "Sales" });
    expect(await left()).toBe(3);
    await change(admin, user.id, { role: "partner_technician" });
    expect(await left()).toBe(1);
    for (const [organizationIds, mails] of [
      [[org.id, second.id], 2],
      [[org.id], 3],
      [[org.id, second.id], 6],
      [null, 9],
    ] as const) {
      await queue();
      await change(admin, user.id, { organizationIds });
      expect([organizationIds, await left()]).toEqual([organizationIds, mails]);
    }
  });

  it("disables a user and ends their sessions together or not at all", async () => {
    const admin = await createUser({ role: "org_admin" });
    const user = await createUser({ role: "org_viewer", orgId: admin.orgId as string });
    const open = await bearer(user);
    const disable = () => change(admin, user.id, { disabled: true });
    const failed = await whileRefused({ table: "refresh_tokens", column: "user_id", id: user.id }, disable);
    expect([failed.status, (await call(open, "GET /me")).status]).toEqual([500, 200]);
    expect((await disable()).status).toBe(200);
    await change(admin, user.id, { disabled: false });
    expect((await call(open, "GET /me")).status).toBe(401);
    expect((await auditRows(admin.orgId as string)).map((row) => row.action)).toEqual(["user.disable", "user.enable"]);
  });

  it("returns 404 for a foreign user, and for partner staff to an org admin", async () => {
    const { org, admin } = await partnerOf();
    const orgAdmin = await createUser({ role: "org_admin", orgId: org.id });
    for (const id of [(await createUser()).id, admin.id, crypto.randomUUID()])
      expect((await change(orgAdmin, id, { department: "X" })).body, id).toMatchObject({
        status: 404,
        detail: "No such user.",
      });
    expect((await change(admin, (await createUser()).id, { disabled: true })).status).toBe(404);
  });

  it("rejects changing one's own access, exceeding one's role or changing user type", async () => {
    const { partner, org, admin } = await partnerOf();
    const orgAdmin = await createUser({ role: "org_admin", orgId: org.id });
    expect((await change(orgAdmin, orgAdmin.id, { disabled: true })).status).toBe(403);
    expect((await change(admin, admin.id, { role: "partner_technician" })).status).toBe(403);
    expect((await change(admin, admin.id, { department: "Head office" })).status).toBe(200);
    expect(
      (await change(orgAdmin, (await createUser({ role: "org_viewer", orgId: org.id })).id, { role: "partner_admin" }))
        .status,
    ).toBe(400);
    const key = await createApiKey({
      orgId: org.id,
      permissions: ["users:manage", "audit:read", "devices:read", "custom_fields:read"],
    });
    expect((await change(key, orgAdmin.id, { disabled: true })).status).toBe(403);
    const limited = await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [org.id] });
    expect((await change(limited, admin.id, { disabled: true })).status).toBe(403);
  });

  it("keeps the last administrator, even when two remove each other at once", async () => {
    const { partner, admin } = await partnerOf();
    const key = await createApiKey({ partnerId: partner.id, permissions: [...(await permissionsOf(admin))] });
    expect((await change(key, admin.id, { disabled: true })).body).toMatchObject({ status: 409, code: "conflict" });
    const second = await createUser({ role: "partner_admin", partnerId: partner.id });
    const both = await Promise.all([
      change(key, admin.id, { disabled: true }),
      change(key, second.id, { role: "partner_technician" }),
    ]);
    expect(both.map((a) => a.status).sort()).toEqual([200, 409]);
  });

  it("keeps the last administrator with full partner access, even with concurrent changes", async () => {
    const { partner, org, admin } = await partnerOf();
    const key = await createApiKey({ partnerId: partner.id, permissions: [...(await permissionsOf(admin))] });
    await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [org.id] });
    expect((await change(key, admin.id, { disabled: true })).body).toMatchObject({ status: 409, code: "conflict" });
    expect((await change(key, admin.id, { organizationIds: [org.id] })).body).toMatchObject({ status: 409 });
    const second = await createUser({ role: "partner_admin", partnerId: partner.id });
    const both = await Promise.all([
      change(second, admin.id, { organizationIds: [org.id] }),
      change(admin, second.id, { organizationIds: [org.id] }),
    ]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it("changing access uses one database connection, so concurrent changes cannot deadlock", async () => {
    const { partner, org, admin } = await partnerOf();
    const { id } = await createUser({ role: "partner_technician", partnerId: partner.id, organizationIds: [org.id] });
    const who = await bearer(admin);
    const body = { organizationIds: [partner.homeOrgId] };
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const others = Array.from({ length: env().DATABASE_POOL_SIZE - 1 }, () => asSystem(() => released));
    const changed = call(who, `PATCH /users/${id}`, body);
    const first = await Promise.race([changed.then(({ status }) => status), setTimeout(40_000, "it waits")]);
    release();
    await Promise.all([...others, changed]);
    expect(first).toBe(200);
  });

  it("rejects a foreign organization and names one that does not exist", async () => {
    const { partner, org, admin } = await partnerOf();
    const operator = await createUser({ role: "system_admin" });
    const { id } = await createUser({ role: "partner_technician", partnerId: partner.id, organizationIds: [org.id] });
    const [elsewhere, missing] = [(await createOrg()).id, crypto.randomUUID()];
    const statusFor = async (who: Who, orgId: string) =>
      (await change(who, id, { organizationIds: [partner.homeOrgId, orgId] })).status;
    expect([await statusFor(admin, elsewhere), await statusFor(admin, missing)]).toEqual([403, 403]);
    expect([await statusFor(operator, elsewhere), await statusFor(operator, missing)]).toEqual([403, 404]);
  });

  it("rejects an empty change and unknown members", async () => {
    const admin = await createUser({ role: "org_admin" });
    for (const body of [{}, { email: "x@y.test" }, { role: "system_admin" }, { disabled: "yes" }])
      expect((await change(admin, admin.id, body)).status).toBe(400);
  });
});

const permissionsOf = async (user: TestUser) => (await call(user, "GET /me")).body.permissions;
