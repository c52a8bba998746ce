import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { userIdentities, users, userTokens } from "@/db/schema";
import {
  auditRows,
  bearer,
  call,
  changeRows,
  createOrg,
  createPartner,
  createUser,
  PASSWORD,
  rowsIn,
  type TestUser,
} from "@/testing/factories";
import { atOnce, cutOffAt } from "@/testing/held-rows";
import { type MailServer, startMailServer } from "@/testing/mail-server";
import { withSettings } from "@/testing/settings";
import { whileRefused } from "@/testing/while-refused";

const CHOSEN = "the password that I chose";
let n = 0;
const address = () => `invited-${process.pid}-${Date.now()}-${n++}@example.test`;
const send = (who: TestUser, id: string) => call(who, `POST /users/${id}/invite`);
const secretOf = (link: string) => new URL(link).hash.slice(1);
const signIn = (email: string, password: string) => call(null, "POST /auth/token", { email, password });

async function invited() {
  const admin = await createUser({ role: "org_admin" });
  const body = { email: address(), name: "Ira Invited", role: "org_viewer" };
  const created = await call(admin, "POST /users", body);
  return { admin, id: created.body.id as string, email: body.email, created };
}

let mail: MailServer | undefined;
async function withMail(options = {}) {
  mail = await startMailServer(options);
  withSettings({ SMTP_URL: mail.url, SMTP_FROM: "Trailmark <trailmark@example.test>" });
  return mail;
}
afterEach(async () => {
  await mail?.close();
  mail = undefined;
});

describe("an invitation", () => {
  it("without mail returns a link once, which lets the user set a password and sign in", async () => {
    const { admin, id, email, created } = await invited();
    expect(created).toMatchObject({ status: 201, body: { invited: true, disabled: false } });
    expect((await signIn(email, CHOSEN)).status).toBe(401);
    const { status, body } = await send(admin, id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: "invite", sentTo: null });
    expect(body.link).toMatch(/\/invite#tmi_[\w-]{40}$/);
    const accepted = await call(null, "POST /auth/invite/accept", { token: secretOf(body.link), password: CHOSEN });
    expect(accepted).toMatchObject({ status: 200, body: { email, name: "Ira Invited" } });
    expect((await signIn(email, CHOSEN)).status).toBe(200);
    expect((await call(admin, `GET /users?search=${email}`)).body.data[0].invited).toBe(false);
    const rows = await auditRows(admin.orgId as string);
    expect(rows.map((r) => r.action)).toEqual([
      "user.create",
      "user.login.failed",
      "user.invite",
      "user.invite.accept",
      "user.login",
    ]);
    expect(JSON.stringify(rows.map((r) => r.details))).not.toContain("tmi_");
    expect(rows[3]).toMatchObject({ actorId: id, resourceId: id });
  });

  it("works once and for a limited time, only the newest; the database stores a hash", async () => {
    const { admin, id } = await invited();
    const first = secretOf((await send(admin, id)).body.link);
    const second = secretOf((await send(admin, id)).body.link);
    const use = (secret: string) => call(null, "POST /auth/invite/accept", { token: secret, password: CHOSEN });
    expect((await use(first)).body).toMatchObject({ status: 400, errors: [{ path: "token" }] });
    const rows = await rowsIn(userTokens, { userId: id });
    expect(JSON.stringify(rows)).not.toContain(second);
    const both = await Promise.all([use(second), use(second)]);
    expect(both.map((a) => a.status).sort()).toEqual([200, 400]);
    const { id: other, admin: boss } = await invited();
    const late = secretOf((await send(boss, other)).body.link);
    await changeRows(userTokens, { userId: other }, { expiresAt: new Date(Date.now() - 1000) });
    expect((await use(late)).status).toBe(400);
    expect((await call(null, "POST /auth/password/reset", { token: late, password: CHOSEN })).status).toBe(400);
  });

  it("leaves only one valid link when created concurrently", async () => {
    const { admin, id } = await invited();
    const links = await Promise.all(Array.from({ length: 4 }, () => send(admin, id)));
    const uses = [];
    for (const { body } of links)
      uses.push(await call(null, "POST /auth/invite/accept", { token: secretOf(body.link), password: CHOSEN }));
    expect(uses.map((a) => a.status).sort()).toEqual([200, 400, 400, 400]);
  });

  it("ends when the user's access changes or the user is disabled", async () => {
    const partner = await createPartner();
    const [a, b] = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
    const boss = await createUser({ role: "partner_admin", partnerId: partner.id });
    const limited = await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [a.id] });
    const changes = [{ organizationIds: [a.id, b.id] }, { role: "partner_admin" }, { disabled: true }];
    for (const body of changes) {
      const person = { email: address(), name: "P", role: "partner_technician", organizationIds: [a.id] };
      const { id } = (await call(boss, "POST /users", person)).body;
      const held = secretOf((await send(limited, id)).body.link);
      expect((await call(boss, `PATCH /users/${id}`, body)).status).toBe(200);
      if (body.disabled) await call(boss, `PATCH /users/${id}`, { disabled: false });
      expect((await call(null, "POST /auth/invite/accept", { token: held, password: CHOSEN })).status).toBe(400);
    }
  });

  it("fails while the user's access is being changed", async () => {
    const admin = await createUser({ role: "org_admin" });
    const user = await createUser({ role: "org_viewer", orgId: admin.orgId as string });
    const promote = () => call(admin, `PATCH /users/${user.id}`, { role: "org_admin" });
    const row = sql`SELECT FROM users WHERE id = ${user.id} FOR UPDATE`;
    const [promoted, sent] = await atOnce(row, [promote, () => send(admin, user.id)]);
    expect([promoted?.status, sent?.status, sent?.body.code]).toEqual([200, 409, "conflict"]);
    expect((await send(admin, user.id)).status).toBe(200);
  });

  it("ends when the user changes the password, as does a sign-in in progress", async () => {
    const admin = await createUser({ role: "org_admin" });
    const user = await createUser({ role: "org_viewer", orgId: admin.orgId as string });
    const held = secretOf((await send(admin, user.id)).body.link);
    const own = await bearer(user);
    const body = { currentPassword: PASSWORD, newPassword: CHOSEN };
    expect((await call(own, "POST /me/password", body)).status).toBe(200);
    expect(
      (await call(null, "POST /auth/password/reset", { token: held, password: "what the thief chose" })).status,
    ).toBe(400);
    expect((await signIn(user.email, CHOSEN)).status).toBe(200);
  });

  it("stays valid when the database fails to store the new password", async () => {
    const { admin, id, email } = await invited();
    const secret = secretOf((await send(admin, id)).body.link);
    const use = () => call(null, "POST /auth/invite/accept", { token: secret, password: CHOSEN });
    const failed = await whileRefused({ table: "users", column: "id", id }, use);
    expect(failed.status).toBe(500);
    expect((await use()).status).toBe(200);
    expect((await signIn(email, CHOSEN)).status).toBe(200);
  });

  it("is sent by email if mail is configured, and not shown", async () => {
    const { mails } = await withMail();
    const { admin, id, email } = await invited();
    const { body } = await send(admin, id);
    expect(body).toMatchObject({ kind: "invite", sentTo: email, link: null });
    expect(mails).toHaveLength(1);
    expect(mails[0]?.to).toEqual([email]);
    const secret = /#(tmi_[\w-]{40})/.exec((mails[0]?.text ?? "").replace(/=\r?\n/g, ""))?.[1] as string;
    expect((await call(null, "POST /auth/invite/accept", { token: secret, password: CHOSEN })).status).toBe(200);
  });

  it("is refused and recorded as failed when the mail server rejects it", async () => {
    await withMail({ refuse: true });
    const { admin, id } = await invited();
    await asSystem((tx) =>
      tx.insert(userIdentities).values({ issuer: "https://id.example.test", subject: id, userId: id }),
    );
    expect(await send(admin, id)).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect((await auditRows(admin.orgId as string)).at(-1)).toMatchObject({
      action: "user.invite",
      result: "failure",
      resourceId: id,
      details: { sentTo: null },
      errorMessage: expect.stringContaining("Nothing was sent"),
    });
    const known = await rowsIn(userIdentities, { userId: id });
    expect(known).toHaveLength(1);
  });

  it("unlinks the user's identity provider and records it; the link works even if that fails", async () => {
    const { admin, id } = await invited();
    const link = (subject: string) =>
      asSystem((tx) => tx.insert(userIdentities).values({ issuer: "https://id.example.test", subject, userId: id }));
    const details = async () => (await auditRows(admin.orgId as string)).at(-1)?.details;
    await link(`${id} one`);
    expect((await send(admin, id)).status).toBe(200);
    expect(await details()).toMatchObject({ sentTo: null, unlinkedIdentities: 1 });
    await send(admin, id);
    expect(await details()).not.toHaveProperty("unlinkedIdentities");
    await link(`${id} two`);
    const held = sql`SELECT FROM user_identities WHERE user_id = ${id} FOR UPDATE`;
    const { status, body } = await cutOffAt(held, () => send(admin, id));
    expect(status).toBe(200);
    expect(await details()).not.toHaveProperty("unlinkedIdentities");
    expect(
      (await call(null, "POST /auth/invite/accept", { token: secretOf(body.link), password: CHOSEN })).status,
    ).toBe(200);
  });

  it("keeps the earlier link valid until the mail server accepts the new one", async () => {
    const { admin, id } = await invited();
    const earlier = secretOf((await send(admin, id)).body.link);
    const tokens = () => rowsIn(userTokens, { userId: id });
    const [kept] = await tokens();
    await withMail({ refuse: true });
    expect((await send(admin, id)).status).toBe(503);
    expect(await tokens()).toEqual([kept]);
    await mail?.close();
    await withMail();
    expect((await send(admin, id)).status).toBe(200);
    expect(await tokens()).toHaveLength(1);
    expect((await call(null, "POST /auth/invite/accept", { token: earlier, password: CHOSEN })).status).toBe(400);
  });

  it("becomes a reset link for a user with a password, and using it ends their sessions", async () => {
    const admin = await createUser({ role: "org_admin" });
    const user = await createUser({ role: "org_viewer", orgId: admin.orgId as string });
    const open = await bearer(user);
    await signIn(user.email, PASSWORD);
    const { body } = await send(admin, user.id);
    expect(body.kind).toBe("reset");
    expect((await call(open, "GET /me")).status).toBe(200);
    expect(
      (await call(null, "POST /auth/password/reset", { token: secretOf(body.link), password: CHOSEN })).status,
    ).toBe(204);
    expect((await call(open, "GET /me")).status).toBe(401);
    expect((await signIn(user.email, CHOSEN)).status).toBe(200);
  });

  it("replaces the other kind of link, but a self-service reset ends no invitation", async () => {
    const { admin, id, email } = await invited();
    const first = secretOf((await send(admin, id)).body.link);
    const since = (lastLoginAt: Date | null) => changeRows(users, { id }, { lastLoginAt });
    await since(new Date());
    expect((await send(admin, id)).body.kind).toBe("reset");
    const use = (secret: string) => call(null, "POST /auth/invite/accept", { token: secret, password: CHOSEN });
    expect((await use(first)).status).toBe(400);
    await since(null);
    const second = secretOf((await send(admin, id)).body.link);
    const { mails } = await withMail();
    await call(null, "POST /auth/password/forgot", { email });
    await expect.poll(() => mails).toHaveLength(1);
    await expect.poll(async () => (await auditRows(admin.orgId as string)).at(-1)?.action).toMatch(/reset\.request$/);
    expect((await use(second)).status).toBe(200);
  });

  it("requires authority over the user: no higher role, other organization or wider access", async () => {
    const partner = await createPartner();
    const [own, other] = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
    const limited = await createUser({ role: "partner_admin", partnerId: partner.id, organizationIds: [own.id] });
    const wider = await createUser({
      role: "partner_technician",
      partnerId: partner.id,
      organizationIds: [own.id, other.id],
    });
    const whole = await createUser({ role: "partner_technician", partnerId: partner.id });
    expect([(await send(limited, wider.id)).status, (await send(limited, whole.id)).status]).toEqual([403, 403]);
    const orgAdmin = await createUser({ role: "org_admin", orgId: own.id });
    expect((await send(orgAdmin, whole.id)).status).toBe(404);
    expect((await send(orgAdmin, (await createUser()).id)).status).toBe(404);
    const gone = await createUser({ role: "org_viewer", orgId: own.id, disabled: true });
    expect((await send(orgAdmin, gone.id)).status).toBe(409);
  });
});

describe("POST /auth/password/forgot", () => {
  it("responds the same for known and unknown addresses, and emails a working link", async () => {
    const { mails } = await withMail();
    const user = await createUser();
    const [known, unknown] = [
      await call(null, "POST /auth/password/forgot", { email: user.email }),
      await call(null, "POST /auth/password/forgot", { email: "nobody@example.test" }),
    ];
    expect([known.status, known.text]).toEqual([202, ""]);
    expect([unknown.status, unknown.text]).toEqual([202, ""]);
    await expect.poll(() => auditRows(user.orgId as string)).toHaveLength(1);
    expect(mails.map(({ to }) => to)).toEqual([[user.email]]);
    const secret = /#(tmp_[\w-]{40})/.exec((mails[0]?.text ?? "").replace(/=\r?\n/g, ""))?.[1] as string;
    expect((await call(null, "POST /auth/password/reset", { token: secret, password: CHOSEN })).status).toBe(204);
    expect((await signIn(user.email, CHOSEN)).status).toBe(200);
    const rows = await auditRows(user.orgId as string);
    expect(rows.map((r) => r.action)).toEqual(["user.password.reset.request", "user.password.reset", "user.login"]);
  });

  it("sends no email without a mail server, and at most three an hour per address", async () => {
    const user = await createUser();
    expect((await call(null, "POST /auth/password/forgot", { email: user.email })).status).toBe(202);
    const { mails } = await withMail();
    for (let i = 0; i < 5; i++)
      await call({ ip: "198.51.100.77" }, "POST /auth/password/forgot", { email: user.email });
    await expect.poll(() => mails).toHaveLength(3);
    await expect.poll(() => auditRows(user.orgId as string)).toHaveLength(3);
  });

  it("keeps the earlier link and records a failure when the mail server rejects the email", async () => {
    const admin = await createUser({ role: "org_admin" });
    const user = await createUser({ role: "org_viewer", orgId: admin.orgId as string });
    const earlier = secretOf((await send(admin, user.id)).body.link);
    await withMail({ refuse: true });
    expect((await call(null, "POST /auth/password/forgot", { email: user.email })).status).toBe(202);
    await expect
      .poll(async () => (await auditRows(user.orgId as string)).at(-1))
      .toMatchObject({
        action: "user.password.reset.request",
        actorId: user.id,
        result: "failure",
        details: { sentTo: null },
      });
    expect((await call(null, "POST /auth/password/reset", { token: earlier, password: CHOSEN })).status).toBe(204);
  });
});

describe("access of a partner user", () => {
  it("covers all or selected organizations and changes immediately in open sessions", async () => {
    const partner = await createPartner();
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    const [a, b, c] = await Promise.all([1, 2, 3].map(() => createOrg({ partnerId: partner.id })));
    const ids = [a, b, c].map((o) => o?.id as string).sort();
    const body = {
      email: address(),
      password: PASSWORD,
      name: "T",
      role: "partner_technician",
      organizationIds: ids.slice(0, 2),
    };
    const created = await call(admin, "POST /users", body);
    const open = (await signIn(body.email, PASSWORD)).body.accessToken;
    const reached = async () =>
      (await call(open, "GET /me")).body.organizations.map((o: { id: string }) => o.id).sort();
    expect(await reached()).toEqual(ids.slice(0, 2));
    const patch = (organizationIds: string[] | null, who = admin) =>
      call(who, `PATCH /users/${created.body.id}`, { organizationIds });
    expect((await patch([ids[2] as string])).body.organizationIds).toEqual([ids[2]]);
    expect(await reached()).toEqual([ids[2]]);
    expect((await patch(null)).body.organizationIds).toBeNull();
    expect(await reached()).toEqual([...ids, partner.homeOrgId].sort());
    const foreign = await createOrg();
    expect((await patch([foreign.id])).status).toBe(403);
    const limited = await createUser({
      role: "partner_admin",
      partnerId: partner.id,
      organizationIds: [ids[0] as string],
    });
    expect((await patch([ids[0] as string], limited)).status).toBe(403);
    const changes = (await auditRows(partner.homeOrgId)).filter((r) => r.action === "user.permission.change");
    expect(changes.map((r) => r.details)).toEqual([
      { before: { organizationIds: ids.slice(0, 2) }, after: { organizationIds: [ids[2]] } },
      { before: { organizationIds: [ids[2]] }, after: { organizationIds: null } },
    ]);
  });

  it("cannot be set for organization roles or oneself, or to an empty set", async () => {
    const partner = await createPartner();
    const org = await createOrg({ partnerId: partner.id });
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    const viewer = await createUser({ role: "org_viewer", orgId: org.id });
    const patch = (id: string, organizationIds: string[]) => call(admin, `PATCH /users/${id}`, { organizationIds });
    expect((await patch(viewer.id, [org.id])).body.errors[0].path).toBe("organizationIds");
    expect((await patch(admin.id, [org.id])).status).toBe(403);
    expect((await patch(viewer.id, [])).body.errors[0].path).toBe("organizationIds");
  });
});
