import { beforeAll, expect, it } from "vitest";
import { appRouter } from "@/server/doors/trpc/root";
import { provesPasskey } from "@/server/identity/auth/second-factor/passkeys";
import { createAuthenticator } from "@/testing/authenticator";
import { bearer, call, createUser, PASSWORD, unknownSecret } from "@/testing/factories";
import { withSettings } from "@/testing/settings";

const ORIGIN = "http://localhost:3000";
beforeAll(() => withSettings({ NEXTAUTH_URL: ORIGIN }));

const key = (origin = ORIGIN) => createAuthenticator({ rpId: "localhost", origin });

async function withPasskey() {
  const user = await createUser();
  const accessToken = await bearer(user);
  const device = key();
  const asked = (await call(accessToken, "POST /me/passkeys/options")).body;
  const body = { challenge: asked.challenge, name: "Work laptop", response: device.create(asked.options.challenge) };
  const added = await call(accessToken, "POST /me/passkeys", body);
  return { user, accessToken, device, added, body };
}
const password = async (email: string) => (await call(null, "POST /auth/token", { email, password: PASSWORD })).body;

it("adds a passkey, asks for it after the password and accepts its signature once", async () => {
  const { user, accessToken, device, added, body } = await withPasskey();
  expect(added.body.recoveryCodes).toHaveLength(10);
  expect((await call(accessToken, "POST /me/passkeys", body)).body.errors[0].path).toBe("challenge");
  const problem = await password(user.email);
  expect(problem).toMatchObject({ code: "second_factor_required", methods: ["passkey", "recovery_code"] });
  const passkey = device.get(problem.passkeyOptions.challenge);
  const done = await call(null, "POST /auth/token/second-factor", { challenge: problem.challenge, passkey });
  expect(done.status).toBe(200);
  expect((await call(done.body.accessToken, "GET /me/two-factor")).body.passkeys).toMatchObject([
    { name: "Work laptop" },
  ]);
  const next = await password(user.email);
  expect((await call(null, "POST /auth/token/second-factor", { challenge: next.challenge, passkey })).status).toBe(401);
});

it("returns passkey options to a browser that has only the challenge", async () => {
  const { user, device } = await withPasskey();
  const { challenge } = await password(user.email);
  const { auth } = appRouter.createCaller({ caller: null, requestId: "r" });
  const told = await auth.describeChallenge({ challenge });
  expect(told.methods).toEqual(["passkey", "recovery_code"]);
  const passkey = device.get(told.passkeyOptions?.challenge ?? "");
  expect((await call(null, "POST /auth/token/second-factor", { challenge, passkey })).status).toBe(200);
  for (const gone of [challenge, unknownSecret("second_factor")])
    await expect(auth.describeChallenge({ challenge: gone })).rejects.toMatchObject({ code: "UNAUTHORIZED" });
});

it("rejects another key, another site and another user's challenge", async () => {
  const { user, device } = await withPasskey();
  const problem = await password(user.email);
  const { challenge } = problem.passkeyOptions;
  for (const passkey of [key().get(challenge), key("https://evil.example").get(challenge), device.get("another")])
    expect((await call(null, "POST /auth/token/second-factor", { challenge: problem.challenge, passkey })).status).toBe(
      401,
    );
  const stranger = await withPasskey();
  const asked = (await call(stranger.accessToken, "POST /me/step-up/options")).body;
  const stolen = { challenge: asked.challenge, passkey: stranger.device.get(asked.passkeyOptions.challenge) };
  expect((await call(user, "POST /me/step-up", stolen)).status).toBe(400);
  expect((await call(stranger.accessToken, "POST /me/step-up", stolen)).status).toBe(400);
});

it("rejects passkey responses from a frame on another site", async () => {
  const { user, accessToken, device } = await withPasskey();
  const asked = (await call(accessToken, "POST /me/passkeys/options")).body;
  const response = key().create(asked.options.challenge, ["internal"], true);
  const added = await call(accessToken, "POST /me/passkeys", { challenge: asked.challenge, name: "Framed", response });
  expect(added).toMatchObject({ status: 400, body: { errors: [{ path: "response" }] } });
  const { challenge, passkeyOptions } = await password(user.email);
  const framed = device.get(passkeyOptions.challenge, true);
  expect((await call(null, "POST /auth/token/second-factor", { challenge, passkey: framed })).status).toBe(401);
  const passkey = device.get(passkeyOptions.challenge, false);
  expect((await call(null, "POST /auth/token/second-factor", { challenge, passkey })).status).toBe(200);
});

it("rejects a new passkey made with a step-up challenge", async () => {
  const { accessToken } = await withPasskey();
  const asked = (await call(accessToken, "POST /me/step-up/options")).body;
  const response = key().create(asked.passkeyOptions.challenge);
  const added = await call(accessToken, "POST /me/passkeys", { challenge: asked.challenge, name: "Mine", response });
  expect(added).toMatchObject({ status: 400, body: { errors: [{ path: "challenge" }] } });
  expect((await call(accessToken, "GET /me/two-factor")).body.passkeys).toHaveLength(1);
});

it("stores the usable parts of an unusual credential and rejects unusable ones", async () => {
  const accessToken = await bearer(await createUser());
  const created = async (odd: { idBytes?: number; padBytes?: number }, transports?: unknown) => {
    const asked = (await call(accessToken, "POST /me/passkeys/options")).body;
    const response = createAuthenticator({ rpId: "localhost", origin: ORIGIN, ...odd }).create(
      asked.options.challenge,
      transports,
    );
    return call(accessToken, "POST /me/passkeys", { challenge: asked.challenge, name: "Odd", response });
  };
  for (const odd of [{ idBytes: 1_024 }, { idBytes: 5_000 }, { padBytes: 9_000 }])
    expect(await created(odd)).toMatchObject({
      status: 400,
      body: { errors: [{ path: expect.stringMatching(/^response/) }] },
    });
  for (const transports of ["usb", 5, {}, null, [{ toString: 1 }], ["a\0b"], ["x".repeat(9_000)], ["usb", 7, "hybrid"]])
    expect((await created({}, transports)).status, JSON.stringify(transports)?.slice(0, 40)).toBe(200);
  expect((await created({ idBytes: 1_023 })).status).toBe(200);
  const { excludeCredentials } = (await call(accessToken, "POST /me/passkeys/options")).body.options;
  const kept = excludeCredentials.flatMap((one: { transports?: string[] }) => one.transports ?? []);
  expect(kept.sort()).toEqual(["hybrid", "internal", "usb"]);
});

it("names passkey.id when the ID is invalid", async () => {
  const { user, device } = await withPasskey();
  const { challenge, passkeyOptions } = await password(user.email);
  for (const id of ["\0", "", "a b", "x".repeat(2_001)]) {
    const passkey = { ...device.get(passkeyOptions.challenge), id };
    const refused = await call(null, "POST /auth/token/second-factor", { challenge, passkey });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: "passkey.id" }] } });
  }
});

it("accepts a counter value once, even from a key and its copy at the same time", async () => {
  const { user, device } = await withPasskey();
  const copy = Buffer.from("challenge of both").toString("base64url");
  const response = device.get(copy);
  const proofs = Array.from({ length: 6 }, () =>
    provesPasskey(user.id, { response, challenge: copy, now: new Date() }),
  );
  expect((await Promise.all(proofs)).filter(Boolean)).toHaveLength(1);
});

it("a passkey satisfies step-up, and only its owner can remove it", async () => {
  const { user, accessToken, device } = await withPasskey();
  const asked = (await call(accessToken, "POST /me/step-up/options")).body;
  const passkey = device.get(asked.passkeyOptions.challenge);
  expect((await call(accessToken, "POST /me/step-up", { challenge: asked.challenge, passkey })).status).toBe(200);
  const [{ id }] = (await call(accessToken, "GET /me/two-factor")).body.passkeys;
  const drop = (who: string) => call(who, `DELETE /me/passkeys/${id}`);
  expect((await drop(await bearer(await createUser()))).status).toBe(404);
  expect((await drop(accessToken)).status).toBe(204);
  expect((await call(null, "POST /auth/token", { email: user.email, password: PASSWORD })).status).toBe(200);
});
