import { Secret, TOTP } from "otpauth";
import { expect, it } from "vitest";
import type { AppError } from "@/server/ground/errors";
import { changePassword } from "@/server/identity/me/account";
import { bearer, call, createUser, ctxFor, PASSWORD } from "@/testing/factories";

const AT_ONCE = 30;
const MAX_FAILURES = 10;

const countOf = (answers: { status: number }[], wanted: number) =>
  answers.filter(({ status }) => status === wanted).length;
const atOnce = <T>(one: (n: number) => Promise<T>) => Promise.all(Array.from({ length: AT_ONCE }, (_, n) => one(n)));

it("concurrent password attempts count like sequential ones", async () => {
  const { email } = await createUser();
  const ip = "198.51.100.71";
  const answers = await atOnce((n) => call({ ip }, "POST /auth/token", { email, password: `wrong ${n}` }));
  expect(countOf(answers, 401)).toBe(MAX_FAILURES);
  expect(countOf(answers, 429)).toBe(AT_ONCE - MAX_FAILURES);
  expect((await call({ ip }, "POST /auth/token", { email, password: PASSWORD })).status).toBe(429);
});

it("concurrent sign-ins with the right password are never rate limited", async () => {
  const { email } = await createUser();
  const answers = await atOnce(() => call({ ip: "198.51.100.72" }, "POST /auth/token", { email, password: PASSWORD }));
  expect(countOf(answers, 200)).toBe(AT_ONCE);
});

it("concurrent second-factor codes count like sequential ones", async () => {
  const user = await createUser();
  const session = await bearer(user);
  const { secret } = (await call(session, "POST /me/two-factor/totp")).body;
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const used = totp.generate();
  await call(session, "POST /me/two-factor/totp/confirm", { code: used });
  const ip = "198.51.100.73";
  const { challenge } = (await call({ ip }, "POST /auth/token", { email: user.email, password: PASSWORD })).body;
  // A code that was used before is a wrong one.
  const answers = await atOnce(() => call({ ip }, "POST /auth/token/second-factor", { challenge, code: used }));
  expect(countOf(answers, 401)).toBe(MAX_FAILURES);
  expect(countOf(answers, 429)).toBe(AT_ONCE - MAX_FAILURES);
  expect(
    (
      await call({ ip }, "POST /auth/token/second-factor", {
        challenge,
        code: totp.generate({ timestamp: Date.now() + 30_000 }),
      })
    ).status,
  ).toBe(429);
});

it("concurrent password changes with a wrong password count like sequential ones", async () => {
  const user = await createUser();
  const ctx = await ctxFor(user);
  const newPassword = "a good new password";
  // Past the caller's share of requests, which refuses what has waited for too long with the same code.
  const codes = await atOnce((n) =>
    changePassword.run(ctx, { currentPassword: `wrong ${n}`, newPassword }).catch((error: AppError) => error.code),
  );
  expect(codes.filter((code) => code === "validation_failed")).toHaveLength(MAX_FAILURES);
  expect(codes.filter((code) => code === "rate_limited")).toHaveLength(AT_ONCE - MAX_FAILURES);
  const right = { currentPassword: PASSWORD, newPassword };
  expect((await call(await bearer(user), "POST /me/password", right)).status).toBe(429);
});
