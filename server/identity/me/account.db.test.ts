import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { refreshTokens, userSessions, users } from "@/db/schema";
import { auditRows, call, changeRows, createUser, PASSWORD, type TestUser } from "@/testing/factories";

import { MAX_LISTED_SESSIONS } from "./schema";

const NEW = "another long enough password";
const BROWSER = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0";
const signIn = async (user: TestUser, ip = "198.51.100.20"): Promise<string> =>
  (
    await call({ ip, headers: { "user-agent": BROWSER } }, "POST /auth/token", {
      email: user.email,
      password: PASSWORD,
    })
  ).body.accessToken;
async function addExpired({ id: userId }: TestUser): Promise<string> {
  const familyId = crypto.randomUUID();
  const row = { userId, familyId, tokenHash: familyId, expiresAt: new Date(0) };
  await asSystem((tx) => tx.insert(refreshTokens).values(row));
  return familyId;
}
const statusOf = async (accessToken: string) => (await call(accessToken, "GET /me")).status;

describe("POST /me/password", () => {
  it("changes the password, ends other sessions and records neither password", async () => {
    const user = await createUser();
    const [here, there] = [await signIn(user), await signIn(user)];
    await addExpired(user);
    const changed = await call(here, "POST /me/password", { currentPassword: PASSWORD, newPassword: NEW });
    expect(changed).toMatchObject({ status: 200, body: { endedSessions: 1 } });
    expect([await statusOf(here), await statusOf(there)]).toEqual([200, 401]);
    expect((await call(null, "POST /auth/token", { email: user.email, password: PASSWORD })).status).toBe(401);
    expect((await call(null, "POST /auth/token", { email: user.email, password: NEW })).status).toBe(200);
    const rows = await auditRows(user.orgId as string);
    expect(rows.find((r) => r.action === "user.password.change")).toMatchObject({
      actorId: user.id,
      resourceId: user.id,
      result: "success",
      details: { endedSessions: 1 },
    });
    expect(JSON.stringify(rows.map((r) => r.details))).not.toContain(NEW);
  });

  it("names the wrong field, records the failure and blocks after ten attempts", async () => {
    const user = await createUser();
    const accessToken = await signIn(user);
    const attempt = (body: object) => call(accessToken, "POST /me/password", body);
    expect((await attempt({ currentPassword: "not it", newPassword: NEW })).body).toMatchObject({
      status: 400,
      errors: [{ path: "currentPassword", message: "is wrong" }],
    });
    for (const newPassword of ["short", "password1234", "a secret \0 with NUL"])
      expect((await attempt({ currentPassword: PASSWORD, newPassword })).body.errors[0].path).toBe("newPassword");
    expect((await attempt({ currentPassword: PASSWORD, newPassword: PASSWORD })).body.errors[0].path).toBe(
      "newPassword",
    );
    for (let i = 0; i < 9; i++) await attempt({ currentPassword: "not it", newPassword: NEW });
    const stopped = await attempt({ currentPassword: PASSWORD, newPassword: NEW });
    expect(stopped).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(stopped.headers.get("retry-after")).toBeTruthy();
    const failed = (await auditRows(user.orgId as string)).filter((r) => r.action === "user.password.change");
    expect(failed).toHaveLength(10);
    expect(failed.every((r) => r.result === "failure")).toBe(true);
  });

  it("tells a single sign-on user that there is no password, without recording a failure", async () => {
    const user = await createUser();
    const accessToken = await signIn(user);
    await changeRows(users, { id: user.id }, { passwordHash: null });
    const body = { currentPassword: PASSWORD, newPassword: NEW };
    const { status, body: answer } = await call(accessToken, "POST /me/password", body);
    expect([status, answer.code, answer.detail]).toEqual([
      409,
      "conflict",
      expect.stringContaining("You have no password here"),
    ]);
    expect((await call(accessToken, "POST /me/step-up", { password: PASSWORD })).status).toBe(409);
    expect((await auditRows(user.orgId as string)).map((r) => r.action)).toEqual(["user.login"]);
  });
});

describe("GET and DELETE /me/sessions", () => {
  it("lists own sessions with device and address, marks this one and ends another", async () => {
    const user = await createUser();
    const stranger = await createUser({ orgId: user.orgId as string });
    await signIn(stranger);
    const there = await signIn(user, "203.0.113.8");
    const here = await signIn(user);
    const { data } = (await call(here, "GET /me/sessions")).body;
    expect(data).toHaveLength(2);
    expect(data.map((s: { current: boolean }) => s.current).sort()).toEqual([false, true]);
    const other = data.find((s: { current: boolean }) => !s.current);
    expect(other).toMatchObject({ via: "api", ip: "203.0.113.8", userAgent: BROWSER });
    const ended = await call(here, `DELETE /me/sessions/${other.id}`);
    expect([ended.status, await statusOf(there), await statusOf(here)]).toEqual([204, 401, 200]);
    expect((await call(here, "GET /me/sessions")).body.data).toHaveLength(1);
    expect((await auditRows(user.orgId as string)).at(-1)).toMatchObject({
      action: "user.session.end",
      actorId: user.id,
      details: { sessionId: other.id },
    });
  });

  it("lists at most 100 sessions, this one first, with the total", async () => {
    const user = await createUser();
    const here = await signIn(user);
    await asSystem((tx) =>
      tx.execute(sql`WITH other AS (
          INSERT INTO user_sessions (id, user_id, via, last_seen_at)
          SELECT gen_random_uuid(), ${user.id}::uuid, 'api', now() + n * interval '1 second' FROM generate_series(1, 120) n
          RETURNING id)
        INSERT INTO refresh_tokens (family_id, user_id, token_hash, expires_at)
        SELECT id, ${user.id}::uuid, encode(sha256(id::text::bytea), 'hex'), now() + interval '1 day' FROM other`),
    );
    const { data, total } = (await call(here, "GET /me/sessions")).body;
    expect([data.length, total]).toEqual([MAX_LISTED_SESSIONS, 121]);
    const seen = data.slice(1).map((s: { lastSeenAt: string }) => Date.parse(s.lastSeenAt));
    expect([data[0].current, seen]).toEqual([true, seen.toSorted((a: number, b: number) => b - a)]);
  });

  it("returns the same 404 for another user's, an ended and an unknown session", async () => {
    const user = await createUser();
    const colleague = await createUser({ orgId: user.orgId as string });
    const theirs = await signIn(colleague);
    const mine = await signIn(user);
    const [foreign] = (await call(theirs, "GET /me/sessions")).body.data;
    const drop = (id: string) => call(mine, `DELETE /me/sessions/${id}`);
    const expired = await addExpired(user);
    const answers = [await drop(foreign.id), await drop(crypto.randomUUID()), await drop(expired)];
    for (const { status, body } of answers) expect([status, body.detail]).toEqual([404, "No such session."]);
    expect(await statusOf(theirs)).toBe(200);
  });

  it("updates last use to the minute", async () => {
    const user = await createUser();
    const accessToken = await signIn(user);
    const [{ id }] = (await call(accessToken, "GET /me/sessions")).body.data;
    const past = new Date(Date.now() - 3_600_000);
    await changeRows(userSessions, { id }, { lastSeenAt: past });
    await call(accessToken, "GET /me");
    const [seen] = (await call(accessToken, "GET /me/sessions")).body.data;
    expect(Date.parse(seen.lastSeenAt)).toBeGreaterThan(Date.now() - 60_000);
    await call(accessToken, "POST /auth/logout", {});
    expect(await statusOf(accessToken)).toBe(401);
  });
});
