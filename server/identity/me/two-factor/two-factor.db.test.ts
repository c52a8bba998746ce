import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { userRecoveryCodes, userSessions, userTotp } from "@/db/schema";
import {
  auditRows,
  bearer,
  call,
  changeRows,
  createApiKey,
  createPartner,
  createUser,
  PASSWORD,
  rowsIn,
  type TestUser,
} from "@/testing/factories";

const codeAt = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
const password = (user: TestUser) => call(null, "POST /auth/token", { email: user.email, password: PASSWORD });
const second = (challenge: string, code: string) => call(null, "POST /auth/token/second-factor", { challenge, code });

/** A person with an authenticator app, turned on by the code of this step: signing in takes that of the next. */
async function withTotp(over = {}) {
  const user = await createUser(over);
  const accessToken = await bearer(user);
  const { secret } = (await call(accessToken, "POST /me/two-factor/totp")).body;
  const on = await call(accessToken, "POST /me/two-factor/totp/confirm", { code: codeAt(secret) });
  return { user, secret: secret as string, accessToken, codes: on.body.recoveryCodes as string[] };
}

describe("two-factor sign-in with an authenticator app", () => {
  it("starts after the first code is confirmed; the password then returns a challenge", async () => {
    const { user, secret, codes, accessToken } = await withTotp();
    expect(codes).toHaveLength(10);
    expect((await call(accessToken, "GET /me/two-factor")).body).toMatchObject({
      totp: true,
      recoveryCodesLeft: 10,
    });
    const first = await password(user);
    expect(first).toMatchObject({
      status: 401,
      body: { code: "second_factor_required", methods: ["totp", "recovery_code"] },
    });
    expect(first.body.challenge).toMatch(/^tmc_/);
    expect(first.headers.get("www-authenticate")).toBe("Bearer");
    const done = await second(first.body.challenge, codeAt(secret, 1));
    expect(done.status).toBe(200);
    expect((await call(done.body.accessToken, "GET /me")).status).toBe(200);
    const rows = await auditRows(user.orgId as string);
    expect(rows.map((r) => r.action)).toEqual(["user.two_factor.enable", "user.login"]);
    expect(rows[1]?.details).toMatchObject({ methods: ["password", "totp"] });
    expect(JSON.stringify(rows.map((r) => r.details))).not.toContain(secret);
  });

  it("has no effect until confirmed, and names a wrong first code", async () => {
    const user = await createUser();
    const accessToken = await bearer(user);
    const { body } = await call(accessToken, "POST /me/two-factor/totp");
    expect(body.uri).toContain("otpauth://totp/Trailmark:");
    const wrong = await call(accessToken, "POST /me/two-factor/totp/confirm", { code: codeAt(body.secret, 40) });
    expect(wrong.body).toMatchObject({ status: 400, errors: [{ path: "code" }] });
    expect((await password(user)).status).toBe(200);
  });

  it("rejects, counts and records codes when the stored secret is unreadable", async () => {
    const { user, secret } = await withTotp();
    const another = await withTotp();
    const stored = rowsIn(userTotp, { userId: another.user.id });
    const unreadable = { secret: (await stored)[0]?.secret ?? "" };
    await changeRows(userTotp, { userId: user.id }, unreadable);
    const { challenge } = (await password(user)).body;
    expect((await second(challenge, codeAt(secret, 1))).status).toBe(401);
    const last = (await auditRows(user.orgId as string)).at(-1);
    expect(last).toMatchObject({ action: "user.login.failed", details: { reason: "bad_second_factor" } });
    for (let i = 1; i < 10; i++) await second(challenge, codeAt(secret, 1));
    expect((await second(challenge, codeAt(secret, 1))).status).toBe(429);
  });

  it("does not confirm an unreadable secret", async () => {
    const user = await createUser();
    const accessToken = await bearer(user);
    const { body } = await call(accessToken, "POST /me/two-factor/totp");
    await changeRows(userTotp, { userId: user.id }, { secret: "x" });
    const refused = await call(accessToken, "POST /me/two-factor/totp/confirm", { code: codeAt(body.secret) });
    expect(refused.body).toMatchObject({ status: 400, errors: [{ path: "code" }] });
  });

  it("accepts the code of a time step once, even for concurrent attempts", async () => {
    const { user, secret } = await withTotp();
    const [a, b] = [(await password(user)).body.challenge, (await password(user)).body.challenge];
    const code = codeAt(secret, 1);
    const both = await Promise.all([second(a, code), second(b, code)]);
    expect(both.map((r) => r.status).sort()).toEqual([200, 401]);
    expect((await second((await password(user)).body.challenge, code)).status).toBe(401);
  });

  it("accepts each recovery code once, in any case, and each challenge once", async () => {
    const { user, codes } = await withTotp();
    const challenge = (await password(user)).body.challenge;
    expect((await second(challenge, (codes[0] as string).toUpperCase().replaceAll("-", " "))).status).toBe(200);
    expect((await second(challenge, codes[1] as string)).status).toBe(401);
    expect((await second((await password(user)).body.challenge, codes[0] as string)).status).toBe(401);
  });

  it("blocks after ten wrong codes and records each", async () => {
    const { user, secret } = await withTotp();
    const { challenge } = (await password(user)).body;
    for (let i = 0; i < 10; i++) expect((await second(challenge, "not-a-code")).status).toBe(401);
    expect((await second(challenge, codeAt(secret, 1))).status).toBe(429);
    const failed = (await auditRows(user.orgId as string)).filter((r) => r.action === "user.login.failed");
    expect(failed).toHaveLength(10);
    expect(failed[0]?.details).toMatchObject({ reason: "bad_second_factor" });
  });

  it("stores neither the secret nor the codes in plain text", async () => {
    const { user, secret, codes } = await withTotp();
    const stored = await asSystem((tx) =>
      Promise.all([
        tx.select().from(userTotp).where(eq(userTotp.userId, user.id)),
        tx.select().from(userRecoveryCodes).where(eq(userRecoveryCodes.userId, user.id)),
      ]),
    );
    const text = JSON.stringify(stored);
    for (const plain of [secret, ...codes, ...codes.map((c) => c.replaceAll("-", ""))])
      expect(text).not.toContain(plain);
  });

  it("requires a recent step-up to remove it", async () => {
    const { user, accessToken } = await withTotp();
    const old = new Date(Date.now() - 11 * 60_000);
    await changeRows(userSessions, { userId: user.id }, { provenAt: old });
    const refused = await call(accessToken, "DELETE /me/two-factor/totp");
    expect(refused.body).toMatchObject({ status: 403, code: "step_up_required" });
    expect((await call(accessToken, "POST /me/two-factor/recovery-codes")).body.code).toBe("step_up_required");
    const wrong = await call(accessToken, "POST /me/step-up", { password: "not it" });
    expect(wrong.body).toMatchObject({ status: 400, errors: [{ path: "password" }] });
    expect((await call(accessToken, "POST /me/step-up", { password: PASSWORD })).status).toBe(200);
    expect((await call(accessToken, "POST /me/two-factor/recovery-codes")).body.recoveryCodes).toHaveLength(10);
    expect((await call(accessToken, "DELETE /me/two-factor/totp")).status).toBe(204);
    expect((await password(user)).status).toBe(200);
    expect((await call(accessToken, "GET /me/two-factor")).body).toMatchObject({
      totp: false,
      recoveryCodesLeft: 0,
    });
  });

  it("offers passkeys only under a host name", async () => {
    const user = await createUser();
    expect((await call(user, "POST /me/passkeys/options")).body).toMatchObject({ status: 409 });
    expect((await call(user, "GET /me/two-factor")).body.passkeysPossible).toBe(false);
  });
});

describe("an organization that requires two-factor sign-in", () => {
  it("limits users without it to their own account until they set it up", async () => {
    const partner = await createPartner();
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    const { user } = { user: await createUser({ role: "org_viewer", partnerId: partner.id }) };
    const open = await bearer(user);
    const key = await createApiKey({ orgId: user.orgId as string, permissions: ["devices:read"] });
    expect((await call(open, "GET /devices")).status).toBe(200);
    const require = (id: string, requireTwoFactor: boolean) =>
      call(admin, `PATCH /orgs/organizations/${id}`, { requireTwoFactor });
    expect((await require(user.orgId as string, true)).body.requireTwoFactor).toBe(true);
    expect((await call(open, "GET /devices")).body).toMatchObject({ status: 403, code: "forbidden" });
    expect((await call(open, "GET /devices")).body.detail).toContain("requires two-factor");
    expect((await call(open, "GET /me")).body.mustSetUpTwoFactor).toBe(true);
    expect((await call(key, "GET /devices")).status).toBe(200);
    expect((await call(admin, "GET /devices")).status).toBe(200);
    const { secret } = (await call(open, "POST /me/two-factor/totp")).body;
    await call(open, "POST /me/two-factor/totp/confirm", { code: codeAt(secret) });
    expect((await call(open, "GET /devices")).status).toBe(200);
    expect((await call(open, "DELETE /me/two-factor/totp")).status).toBe(409);
    expect((await auditRows(user.orgId as string)).find((r) => r.action === "organization.update")?.details).toEqual({
      before: { requireTwoFactor: false },
      after: { requireTwoFactor: true },
    });
  });

  it("applies to partner staff for the home organization, without locking out its admin", async () => {
    const partner = await createPartner();
    const { user: admin, accessToken } = await withTotp({ role: "partner_admin", partnerId: partner.id });
    const plain = await createUser({ role: "partner_admin", partnerId: partner.id });
    const body = { requireTwoFactor: true };
    const ask = (who: string | TestUser) => call(who, `PATCH /orgs/organizations/${partner.homeOrgId}`, body);
    expect((await ask(plain)).status).toBe(409);
    expect((await ask(accessToken)).status).toBe(200);
    expect((await call(plain, "GET /devices")).status).toBe(403);
    expect((await call(admin, "GET /devices")).status).toBe(200);
  });
});

describe("a user who must have two-factor sign-in", () => {
  it("must set it up first, and cannot turn it off or drop the requirement", async () => {
    const partner = await createPartner();
    const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
    const user = await createUser({ role: "org_admin", partnerId: partner.id });
    const colleague = await createUser({ role: "org_admin", orgId: user.orgId as string });
    const open = await bearer(user);
    const require = (token: string | TestUser, requireTwoFactor: boolean) =>
      call(token, `PATCH /users/${user.id}`, { requireTwoFactor });
    expect((await require(admin, true)).body).toMatchObject({ requireTwoFactor: true, twoFactor: false });
    expect((await call(open, "GET /devices")).status).toBe(403);
    expect((await call(colleague, "GET /devices")).status).toBe(200);
    const { secret } = (await call(open, "POST /me/two-factor/totp")).body;
    await call(open, "POST /me/two-factor/totp/confirm", { code: codeAt(secret) });
    expect((await call(open, "GET /devices")).status).toBe(200);
    expect((await call(open, "DELETE /me/two-factor/totp")).status).toBe(409);
    expect((await require(open, false)).status).toBe(403);
    expect((await require(admin, false)).status).toBe(200);
    expect((await call(open, "DELETE /me/two-factor/totp")).status).toBe(204);
    const rows = (await auditRows(user.orgId as string)).filter(({ action }) => action === "user.update");
    expect(rows.map(({ details }) => details)).toEqual([
      { before: { requireTwoFactor: false }, after: { requireTwoFactor: true } },
      { before: { requireTwoFactor: true }, after: { requireTwoFactor: false } },
    ]);
  });
});
