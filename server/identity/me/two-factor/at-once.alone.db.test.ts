import { and, eq, isNull, sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { beforeAll, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { organizations, userRecoveryCodes } from "@/db/schema";
import { createAuthenticator } from "@/testing/authenticator";
import { bearer, call, createUser } from "@/testing/factories";
import { atOnce } from "@/testing/held-rows";
import { withSettings } from "@/testing/settings";

const ORIGIN = "http://localhost:3000";
beforeAll(() => withSettings({ NEXTAUTH_URL: ORIGIN }));

/** A person who may give a first code of an app and a first answer of a passkey. */
async function createPerson() {
  const user = await createUser();
  const session = await bearer(user);
  const { secret } = (await call(session, "POST /me/two-factor/totp")).body;
  const asked = (await call(session, "POST /me/passkeys/options")).body;
  const response = createAuthenticator({ rpId: "localhost", origin: ORIGIN }).create(asked.options.challenge);
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  return {
    user,
    session,
    confirm: () => call(session, "POST /me/two-factor/totp/confirm", { code }),
    add: () => call(session, "POST /me/passkeys", { challenge: asked.challenge, name: "Laptop", response }),
    known: async () => (await call(session, "GET /me/two-factor")).body,
  };
}

const rowOf = (id: string) => sql`SELECT FROM users WHERE id = ${id} FOR UPDATE`;

it("creating recovery codes twice at once leaves one valid set", async () => {
  const person = await createPerson();
  await person.confirm();
  const codes = and(eq(userRecoveryCodes.userId, person.user.id), isNull(userRecoveryCodes.usedAt));
  const again = () => call(person.session, "POST /me/two-factor/recovery-codes");
  const created = await atOnce(sql`SELECT FROM user_recovery_codes WHERE ${codes} FOR UPDATE`, [again, again]);
  expect(created.map(({ status }) => status)).toEqual([200, 200]);
  expect(await person.known()).toMatchObject({ recoveryCodesLeft: 10 });
});

it("adding two first factors at once returns one set of recovery codes", async () => {
  const person = await createPerson();
  const both = await atOnce(rowOf(person.user.id), [person.confirm, person.add]);
  expect(both.map(({ status, body }) => [status, body.recoveryCodes?.length])).toEqual([
    [200, 10],
    [200, undefined],
  ]);
  expect(await person.known()).toMatchObject({ totp: true, passkeys: [{}], recoveryCodesLeft: 10 });
});

it("removing two required factors at once leaves one", async () => {
  const person = await createPerson();
  await person.confirm();
  await person.add();
  const home = eq(organizations.id, person.user.orgId as string);
  await asSystem((tx) => tx.update(organizations).set({ requireTwoFactor: true }).where(home));
  const [{ id }] = (await person.known()).passkeys;
  const held = sql`SELECT FROM user_totp t JOIN user_passkeys k USING (user_id) WHERE user_id = ${person.user.id}
    FOR UPDATE`;
  const both = await atOnce(held, [
    () => call(person.session, "DELETE /me/two-factor/totp"),
    () => call(person.session, `DELETE /me/passkeys/${id}`),
  ]);
  expect(both.map(({ status }) => status)).toEqual([204, 409]);
  expect(await person.known()).toMatchObject({ totp: false, passkeys: [{}], recoveryCodesLeft: 10 });
});

it("adding a factor while removing the last one keeps its recovery codes", async () => {
  const person = await createPerson();
  await person.confirm();
  const [removed, added] = await atOnce(rowOf(person.user.id), [
    () => call(person.session, "DELETE /me/two-factor/totp"),
    person.add,
  ]);
  expect([removed?.status, added?.status]).toEqual([204, 200]);
  expect(await person.known()).toMatchObject({ totp: false, passkeys: [{}], recoveryCodesLeft: 10 });
});
