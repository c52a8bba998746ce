import { describe, expect, it, vi } from "vitest";
import { refreshTokens, users } from "@/db/schema";
import { callerChanges } from "@/server/ground/background/streams";
import { limit } from "@/server/ground/limits/windows";
import { log } from "@/server/ground/log";
import { hashSecret } from "@/server/ground/secrets";
import { roles } from "@/testing/chain";
import {
  auditRows,
  call,
  changeRows,
  createApiKey,
  createPartner,
  createUser,
  PASSWORD,
  type TestUser,
} from "@/testing/factories";
import { withSettings } from "@/testing/settings";
import { ACCESS_TOKEN_SECONDS } from "./jwt";

const signIn = (user: TestUser, ip = "127.0.0.1") =>
  call({ ip }, "POST /auth/token", { email: user.email, password: PASSWORD });
const lastOf = async (orgId: string | null, action: string) =>
  (await auditRows(orgId as string)).filter((r) => r.action === action).at(-1);

describe("POST /auth/token", () => {
  it("returns working tokens for any case of the email and records the sign-in", async () => {
    const user = await createUser({ role: "org_viewer" });
    const answer = await call({ ip: "198.51.100.9" }, "POST /auth/token", {
      email: user.email.toUpperCase(),
      password: PASSWORD,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ tokenType: "Bearer", expiresIn: 900 });
    expect((await call(answer.body.accessToken, "GET /me")).body.user).toMatchObject({
      id: user.id,
      email: user.email,
    });
    expect(await lastOf(user.orgId, "user.login")).toMatchObject({
      actorType: "user",
      actorId: user.id,
      actorEmail: user.email,
      result: "success",
      ipAddress: "198.51.100.9",
    });
  });

  it("returns 503 with Retry-After when the database is too slow", async () => {
    const user = await createUser();
    await roles.owner.begin(async (tx) => {
      await tx`LOCK TABLE users IN ACCESS EXCLUSIVE MODE`;
      const answer = await signIn(user, "198.51.100.10");
      expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
      expect(answer.headers.get("retry-after")).toBe("2");
    });
    expect((await signIn(user, "198.51.100.10")).status).toBe(200);
  });

  it("records a partner user's sign-in in the partner's home organization", async () => {
    const partner = await createPartner();
    await signIn(await createUser({ role: "partner_admin", partnerId: partner.id }));
    expect(await lastOf(partner.homeOrgId, "user.login")).toBeTruthy();
  });

  it("logs nothing when the email is unknown, so strangers cannot flood the log", async () => {
    const spies = [vi.spyOn(log, "error"), vi.spyOn(log, "warn"), vi.spyOn(console, "warn")];
    const told = vi.spyOn(log, "info");
    // As in production: tests get no details.
    withSettings({ NODE_ENV: "production" });
    const email = "not.a.person@example.test";
    const { status } = await call({ ip: "198.51.100.77" }, "POST /auth/token", { email, password: PASSWORD });
    expect(status).toBe(401);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    expect(told).toHaveBeenCalledWith(expect.objectContaining({ ip: "198.51.100.77" }), "a sign-in names no account");
    expect(JSON.stringify(told.mock.calls)).not.toContain(email);
    for (const spy of [...spies, told]) spy.mockRestore();
  });

  it("rejects wrong, unknown and disabled users alike, and records known ones", async () => {
    const user = await createUser();
    const disabled = await createUser({ disabled: true });
    const answers = await Promise.all([
      call({ ip: "198.51.100.1" }, "POST /auth/token", { email: user.email, password: "wrong" }),
      call({ ip: "198.51.100.1" }, "POST /auth/token", { email: "nobody@example.test", password: "wrong" }),
      signIn(disabled, "198.51.100.1"),
    ]);
    for (const { status, headers, body } of answers) {
      expect(status).toBe(401);
      expect(headers.get("www-authenticate")).toBe("Bearer");
      expect({ ...body, requestId: "" }).toEqual({ ...answers[0]?.body, requestId: "" });
      expect(body.detail).toBe("Wrong e-mail address or password, or the account is disabled.");
    }
    expect(await lastOf(user.orgId, "user.login.failed")).toMatchObject({
      actorId: user.id,
      actorEmail: user.email,
      result: "failure",
    });
    expect(await lastOf(disabled.orgId, "user.login.failed")).toMatchObject({ result: "denied" });
  });

  it("counts all addresses of an IPv6 /64 together", async () => {
    for (let i = 0; i < 20; i++) await limit("setup", `2001:db8:9:9::${i.toString(16)}`);
    await expect(limit("setup", "2001:db8:9:9:ffff::1")).rejects.toMatchObject({ code: "rate_limited" });
    await limit("setup", "2001:db8:9:8::1");
  });

  it("returns 429 after 100 failures for an email from any address", async () => {
    const user = await createUser();
    for (let i = 0; i < 99; i++) await limit("login.failed.account", user.email.toLowerCase());
    const wrong = await call({ ip: "198.51.100.201" }, "POST /auth/token", { email: user.email, password: "wrong" });
    expect(wrong.status).toBe(401);
    expect((await signIn(user, "198.51.100.202")).status).toBe(429);
  });

  it("returns 429 after ten failures for an email and address, even with the right password", async () => {
    const user = await createUser();
    const ip = "198.51.100.77";
    const wrong = () => call({ ip }, "POST /auth/token", { email: user.email, password: "wrong" });
    for (let i = 0; i < 10; i++) expect((await wrong()).status).toBe(401);
    const refused = await signIn(user, ip);
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("ratelimit-remaining")).toBe("0");
    expect((await signIn(user, "198.51.100.78")).status).toBe(200);
  });

  it("does not count successful sign-ins as failures", async () => {
    const user = await createUser();
    const answers = await Promise.all(Array.from({ length: 30 }, () => signIn(user, "198.51.100.79")));
    expect(answers.every((a) => a.status === 200)).toBe(true);
  });

  it("rejects unknown members and non-string values", async () => {
    const bodies = [
      {},
      { email: "a@b.test" },
      { email: "a@b.test", password: "x", extra: 1 },
      { email: ["a@b.test"], password: {} },
      { email: "a\0@b.test", password: "x" },
    ];
    for (const body of bodies) expect((await call(null, "POST /auth/token", body)).status).toBe(400);
  });
});

describe("POST /auth/refresh", () => {
  it("rotates the token, and reuse of an old one ends the whole session", async () => {
    const user = await createUser();
    const first = (await signIn(user)).body;
    const second = await call(null, "POST /auth/refresh", { refreshToken: first.refreshToken });
    expect(second.status).toBe(200);
    expect(second.body.refreshToken).not.toBe(first.refreshToken);
    expect((await call(second.body.accessToken, "GET /me")).status).toBe(200);
    const changes = callerChanges();
    expect((await call(null, "POST /auth/refresh", { refreshToken: first.refreshToken })).status).toBe(401);
    expect(callerChanges()).toBeGreaterThan(changes);
    expect((await call(null, "POST /auth/refresh", { refreshToken: second.body.refreshToken })).status).toBe(401);
    expect((await call(second.body.accessToken, "GET /me")).status).toBe(401);
    expect(await lastOf(user.orgId, "user.token.reuse")).toMatchObject({ actorId: user.id, result: "denied" });
  });

  it("accepts only one of many concurrent uses of a token", async () => {
    const { refreshToken } = (await signIn(await createUser())).body;
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call(null, "POST /auth/refresh", { refreshToken })),
    );
    expect(answers.filter((a) => a.status === 200)).toHaveLength(1);
  });

  it("rejects expired, malformed and access tokens, and disabled users", async () => {
    const user = await createUser();
    const { refreshToken, accessToken } = (await signIn(user)).body;
    await changeRows(refreshTokens, { tokenHash: hashSecret(refreshToken) }, { expiresAt: new Date(0) });
    for (const bad of [refreshToken, accessToken, "x", "tmr_", (await createApiKey()).key])
      expect((await call(null, "POST /auth/refresh", { refreshToken: bad })).status, bad).toBe(401);
    const leaver = await createUser();
    const theirs = (await signIn(leaver)).body.refreshToken;
    await changeRows(users, { id: leaver.id }, { disabledAt: new Date() });
    expect((await call(null, "POST /auth/refresh", { refreshToken: theirs })).status).toBe(401);
  });
});

describe("POST /auth/logout", () => {
  it("ends the session immediately, by refresh token or entirely", async () => {
    const user = await createUser();
    const [one, two] = [(await signIn(user)).body, (await signIn(user)).body];
    expect((await call(one.accessToken, "POST /auth/logout", { refreshToken: one.refreshToken })).status).toBe(204);
    expect((await call(one.accessToken, "GET /me")).status).toBe(401);
    expect((await call(null, "POST /auth/refresh", { refreshToken: one.refreshToken })).status).toBe(401);
    expect((await call(two.accessToken, "GET /me")).status).toBe(200);
    expect((await call(two.accessToken, "POST /auth/logout")).status).toBe(204);
    expect((await call(two.accessToken, "GET /me")).status).toBe(401);
    expect(await lastOf(user.orgId, "user.logout")).toMatchObject({ actorId: user.id });
    expect(await lastOf(user.orgId, "user.token.reuse")).toBeUndefined();
  });

  it("ignores another user's refresh token and rejects non-users", async () => {
    const [mine, other] = [(await signIn(await createUser())).body, (await signIn(await createUser())).body];
    expect((await call(mine.accessToken, "POST /auth/logout", { refreshToken: other.refreshToken })).status).toBe(204);
    expect((await call(other.accessToken, "GET /me")).status).toBe(200);
    expect((await call(mine.accessToken, "GET /me")).status).toBe(200);
    expect((await call((await createApiKey()).key, "POST /auth/logout")).status).toBe(403);
    expect((await call(null, "POST /auth/logout")).status).toBe(401);
  });
});

describe("an access token", () => {
  it("is rejected from the second it expires, however recently it was accepted", async () => {
    const { accessToken } = (await signIn(await createUser())).body;
    for (let i = 0; i < 3; i++) expect((await call(accessToken, "GET /me")).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ACCESS_TOKEN_SECONDS * 1_000 });
    try {
      expect((await call(accessToken, "GET /me")).status).toBe(401);
    } finally {
      vi.useRealTimers();
    }
    expect((await call(accessToken, "GET /me")).status).toBe(200);
  });

  it("is rejected with another signature after the genuine one was accepted", async () => {
    const { accessToken } = (await signIn(await createUser())).body;
    expect((await call(accessToken, "GET /me")).status).toBe(200);
    const [head, claims, signature] = accessToken.split(".");
    const other = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
    expect((await call(`${head}.${claims}.${other}`, "GET /me")).status).toBe(401);
  });
});
