import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { refreshTokens } from "@/db/schema";
import { bearer, call, createUser, PASSWORD, type TestUser } from "@/testing/factories";
import { atOnce } from "@/testing/held-rows";

const NEW_PASSWORD = "another good password";
const signIn = (user: TestUser) => call(null, "POST /auth/token", { email: user.email, password: PASSWORD });
const rowOf = (user: TestUser) => sql`SELECT FROM users WHERE id = ${user.id} FOR UPDATE`;
const choose = (session: string, newPassword = NEW_PASSWORD) =>
  call(session, "POST /me/password", { currentPassword: PASSWORD, newPassword });

/** An expired token, which a renewal clears away in its middle: its lock delays the renewal. */
async function expiredToken({ id: userId }: TestUser) {
  const tokenHash = randomUUID();
  const at = new Date(0);
  await asSystem((tx) =>
    tx.insert(refreshTokens).values({ familyId: randomUUID(), userId, tokenHash, expiresAt: at, createdAt: at }),
  );
  return sql`SELECT FROM refresh_tokens WHERE token_hash = ${tokenHash} FOR UPDATE`;
}

it("ending a session also stops its concurrent refresh", async () => {
  const user = await createUser();
  const { refreshToken } = (await signIn(user)).body;
  const own = await bearer(user);
  const [renewed, ended] = await atOnce(await expiredToken(user), [
    () => call(null, "POST /auth/refresh", { refreshToken }),
    () => call(own, "POST /auth/logout", {}),
  ]);
  expect([renewed?.status, ended?.status]).toEqual([200, 204]);
  expect((await call(renewed?.body.accessToken, "GET /me")).status).toBe(401);
  expect((await call(null, "POST /auth/refresh", { refreshToken: renewed?.body.refreshToken })).status).toBe(401);
});

it("a password change in progress blocks sign-in with the old password", async () => {
  const user = await createUser();
  const own = await bearer(user);
  const [changed, entered] = await atOnce(rowOf(user), [() => choose(own), () => signIn(user)]);
  expect(changed?.status).toBe(200);
  expect(entered).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
});

it("a password change in progress blocks a second change with the old password", async () => {
  const user = await createUser();
  const [own, other] = [await bearer(user), await bearer(user)];
  const [kept, late] = await atOnce(rowOf(user), [
    () => choose(own),
    () => choose(other, "a password of somebody else"),
  ]);
  expect([kept?.status, late?.status, late?.body.errors?.[0]?.path]).toEqual([200, 400, "currentPassword"]);
  expect((await call(null, "POST /auth/token", { email: user.email, password: NEW_PASSWORD })).status).toBe(200);
});

it("a password change in progress blocks the second-factor prompt for the old password", async () => {
  const user = await createUser();
  const own = await bearer(user);
  const { secret } = (await call(own, "POST /me/two-factor/totp")).body;
  await call(own, "POST /me/two-factor/totp/confirm", {
    code: new TOTP({ secret: Secret.fromBase32(secret) }).generate(),
  });
  const [changed, entered] = await atOnce(rowOf(user), [() => choose(own), () => signIn(user)]);
  expect(changed?.status).toBe(200);
  expect(entered).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
});

it("a sign-in during disabling does not survive re-enabling the user", async () => {
  const admin = await createUser();
  const user = await createUser({ role: "org_viewer", orgId: admin.orgId as string });
  const change = (disabled: boolean) => call(admin, `PATCH /users/${user.id}`, { disabled });
  const [disabled, entered] = await atOnce(rowOf(user), [() => change(true), () => signIn(user)]);
  expect([disabled?.status, entered?.status]).toEqual([200, 401]);
});
