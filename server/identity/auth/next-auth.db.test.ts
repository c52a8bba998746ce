import { Secret, TOTP } from "otpauth";
import { describe, expect, it } from "vitest";
import { answerNextAuth } from "@/server/doors/http/next-auth";
import { systemCtx } from "@/server/ground/context";
import { auditRows, bearer, call, createUser, PASSWORD } from "@/testing/factories";
import { authenticate } from "./authenticate";
import { authOptions } from "./next-auth";

const ctx = () => ({ ...systemCtx(), ip: "198.51.100.30", userAgent: "a browser" });
type Provider = { options: { authorize: (credentials: unknown) => Promise<{ claims: unknown } | null> } };
const optionsOf = (refused: unknown[] = []) => authOptions(ctx(), (error) => refused.push(error));
const authorize = (credentials: unknown, refused: unknown[] = []) =>
  (optionsOf(refused).providers[0] as unknown as Provider).options.authorize(credentials);

type Asked = { cookie?: string; form?: Record<string, string>; json?: string };

/** A request to next-auth's own address, as the sign-in page makes it, or with JSON as a stranger may. */
const ask = (path: string, { cookie, form, json }: Asked = {}) =>
  answerNextAuth(
    new Request(`http://127.0.0.1:3000/api/auth/${path}`, {
      headers: {
        "x-trailmark-peer": "198.51.100.31",
        ...(cookie && { cookie }),
        ...(json && { "content-type": "application/json" }),
      },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
      ...(json && { method: "POST", body: json }),
    }),
    { params: Promise.resolve({ nextauth: path.replace(/\?.*/, "").split("/") }) },
  );

describe("signing in with a browser", () => {
  it("sets the cookie to an API token, and signing out ends it immediately", async () => {
    const user = await createUser({ role: "org_technician" });
    const signedIn = await authorize({ email: user.email, password: PASSWORD, csrfToken: "x" });
    const { callbacks, jwt, events } = optionsOf();
    const claims = await callbacks?.jwt?.({ token: {}, user: signedIn } as never);
    const cookie = await jwt?.encode?.({ token: claims as never, secret: "", maxAge: 60 });
    const request = () => new Request("http://127.0.0.1:3000/", { headers: { cookie: `trailmark.session=${cookie}` } });
    expect(await authenticate(request(), { auth: "user" })).toMatchObject({ actor: { id: user.id }, viaCookie: true });
    const decoded = await jwt?.decode?.({ token: cookie as string, secret: "" });
    expect(decoded).toMatchObject({ sub: user.id, scope: "organization", orgId: user.orgId });
    await events?.signOut?.({ token: decoded } as never);
    await expect(authenticate(request(), { auth: "user" })).rejects.toMatchObject({ code: "unauthenticated" });
    const rows = await auditRows(user.orgId as string);
    expect(rows.map((r) => r.action)).toEqual(["user.login", "user.logout"]);
    expect(rows[0]).toMatchObject({ ipAddress: "198.51.100.30", userAgent: "a browser" });
  });

  it("rejects wrong passwords and foreign tokens, and reports the rate limit", async () => {
    const user = await createUser();
    const refused: unknown[] = [];
    expect(await authorize({ email: user.email, password: "wrong" })).toBeNull();
    expect(await authorize({ email: ["x"], password: {} })).toBeNull();
    expect(await optionsOf().jwt?.decode?.({ token: "a.b.c", secret: "" })).toBeNull();
    for (let i = 0; i < 9; i++) await authorize({ email: user.email, password: "wrong" });
    await expect(authorize({ email: user.email, password: PASSWORD }, refused)).rejects.toThrow("rate_limited");
    expect(refused[0]).toMatchObject({ code: "rate_limited" });
  });

  it("ignores an unreadable callback URL", async () => {
    for (const address of ["http://127.0.0.1:30abc", "javascript:alert(1)", "//[", "%"]) {
      const cookie = `next-auth.callback-url=${encodeURIComponent(address)}`;
      expect((await ask("csrf", { cookie })).status, address).toBe(200);
      expect((await ask(`csrf?callbackUrl=${encodeURIComponent(address)}`)).status, address).toBe(200);
    }
  });

  it.each(["signin", "signin/credentials", "signout", "callback/credentials", "session"])(
    "ignores non-string fields and rejects a body that is not an object: %s",
    async (path) => {
      const odd = [
        "null",
        "[]",
        "1",
        '"x"',
        '{"callbackUrl":{"a":1}}',
        '{"csrfToken":[1]}',
        '{"callbackUrl":"http://["}',
      ];
      for (const json of odd) expect((await ask(path, { json })).status, json).toBeLessThan(500);
    },
  );

  it("rejects forms and callback URLs longer than a browser sends", async () => {
    expect((await ask("signin", { form: { email: "x".repeat(70_000) } })).status).toBe(413);
    const far = await ask("signin", { form: { callbackUrl: `/${"a".repeat(10_000)}` } });
    expect(JSON.stringify([...far.headers]).length).toBeLessThan(4_000);
  });

  it("escapes text in response headers", async () => {
    for (const text of ["\r\nX-Injected: y", "€", "\0"]) {
      const { status, headers } = await ask(`error?error=${encodeURIComponent(text)}`);
      expect([status, headers.get("location")]).toEqual([302, expect.stringMatching(/^[\x20-\x7e]+$/)]);
    }
  });

  it("ignores session cookie chunks and does not expire thousands of them", async () => {
    const pieces = Array.from({ length: 2_000 }, (_, i) => `trailmark.session.${i}=x; trailmark.sessionx${i}=y`);
    for (const path of ["session", "csrf", "providers"]) {
      const { status, headers } = await ask(path, { cookie: pieces.join("; ") });
      expect(status).toBe(200);
      expect(headers.getSetCookie().filter((line) => line.startsWith("trailmark.session"))).toEqual([]);
    }
  });

  it("sets an HttpOnly, SameSite=Lax cookie with a fixed name", () => {
    expect(optionsOf().cookies?.sessionToken).toEqual({
      name: "trailmark.session",
      options: { httpOnly: true, sameSite: "lax", path: "/", secure: false },
    });
  });

  it("asks for the second factor first and sets the cookie after it", async () => {
    const user = await createUser();
    const token = await bearer(user);
    const { secret } = (await call(token, "POST /me/two-factor/totp")).body;
    const app = new TOTP({ secret: Secret.fromBase32(secret) });
    await call(token, "POST /me/two-factor/totp/confirm", { code: app.generate() });
    const first = await ask("csrf");
    const cookie = first.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    const { csrfToken } = await first.json();
    const send = (step: string, fields: Record<string, string>) =>
      ask(`callback/${step}`, { cookie, form: { ...fields, csrfToken, json: "true" } });
    const half = await send("credentials", { email: user.email, password: PASSWORD });
    const problem = await half.json();
    expect([half.status, problem.code]).toEqual([401, "second_factor_required"]);
    expect(half.headers.getSetCookie().join()).not.toContain("trailmark.session");
    const wrong = await send("second-factor", { challenge: problem.challenge, code: "wrong" });
    expect(wrong.status).toBe(401);
    const whole = await send("second-factor", {
      challenge: problem.challenge,
      code: app.generate({ timestamp: Date.now() + 30_000 }),
    });
    expect(whole.status).toBe(200);
    expect(whole.headers.getSetCookie().join()).toContain("trailmark.session=");
  });
});
