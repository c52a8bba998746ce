import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import { sql } from "drizzle-orm";
import Provider from "oidc-provider";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { users } from "@/db/schema";
import { answerNextAuth } from "@/server/doors/http/next-auth";
import { systemCtx } from "@/server/ground/context";
import { env } from "@/server/ground/env";
import { auditRows, bearer, call, changeRows, createOrg, createUser } from "@/testing/factories";
import { listen } from "@/testing/port-of";
import { withSettings } from "@/testing/settings";
import { findByIdentity } from "./oidc";

type Claims = { email: string; email_verified: boolean; name?: string };
const people = new Map<string, Claims>();
let server: Server;
let issuer: string;

beforeAll(async () => {
  server = createServer();
  issuer = `http://127.0.0.1:${await listen(server)}`;
  const client = { client_id: "trailmark", client_secret: "a secret of the client" };
  const redirect = new URL("/api/auth/callback/oidc", env().NEXTAUTH_URL).href;
  const provider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [redirect] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ["a key of the provider"] },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
  });
  server.on("request", provider.callback());
  withSettings({
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: client.client_id,
    OIDC_CLIENT_SECRET: client.client_secret,
  });
});
afterAll(() => {
  server.close();
});

/** A browser in little: cookies of one site, redirects by hand. */
function createJar() {
  const cookies = new Map<string, string>();
  return {
    header: () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    keep(response: Response) {
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value) cookies.set(name, value);
        else cookies.delete(name);
      }
      return response;
    },
    get: (name: string) => cookies.get(name),
  };
}
type Jar = ReturnType<typeof createJar>;

async function here(jar: Jar, url: string, form?: Record<string, string>): Promise<Response> {
  const target = new URL(url, env().NEXTAUTH_URL);
  const headers = { cookie: jar.header(), "x-trailmark-peer": "198.51.100.60", "user-agent": "a browser" };
  const request = new Request(
    target,
    form ? { method: "POST", headers, body: new URLSearchParams(form) } : { headers },
  );
  const nextauth = target.pathname.replace("/api/auth/", "").split("/");
  return jar.keep(await answerNextAuth(request, { params: Promise.resolve({ nextauth }) }));
}

async function there(jar: Jar, url: string, form?: Record<string, string>): Promise<Response> {
  const headers = { cookie: jar.header() };
  const rest = form ? { method: "POST", body: new URLSearchParams(form) } : {};
  return jar.keep(await fetch(new URL(url, issuer), { redirect: "manual", headers, ...rest }));
}

/** Signs a person of the provider in here, as a browser does; answers our last response and our cookies. */
async function signInAs(sub: string) {
  const [ours, theirs] = [createJar(), createJar()];
  const { csrfToken } = await (await here(ours, "/api/auth/csrf")).json();
  let at = (await here(ours, "/api/auth/signin/oidc", { csrfToken, callbackUrl: "/" })).headers.get(
    "location",
  ) as string;
  const forms: Record<string, string>[] = [{ prompt: "login", login: sub, password: "x" }, { prompt: "consent" }];
  for (let step = 0; step < 12 && !at.includes("/api/auth/callback/oidc"); step++) {
    const page = await there(theirs, at);
    const next = page.headers.get("location") ?? (await there(theirs, at, forms.shift())).headers.get("location");
    at = new URL(next as string, issuer).href;
  }
  return { last: await here(ours, at), session: ours.get("trailmark.session") };
}

const whoIs = async (session: string | undefined) =>
  (await call({ headers: { cookie: `trailmark.session=${session}` } }, "GET /me")).body.user;
const person = (over: Partial<Claims> = {}) => {
  const sub = crypto.randomUUID();
  people.set(sub, { email: `${sub}@example.test`, email_verified: true, ...over });
  return sub;
};

describe("signing in with an OpenID Connect provider", () => {
  it("links a user by verified address, then recognizes them by subject", async () => {
    const user = await createUser({ role: "org_viewer" });
    const sub = person({ email: user.email.toUpperCase() });
    const first = await signInAs(sub);
    expect(first.last.headers.get("location")).toBe(new URL("/", env().NEXTAUTH_URL).href);
    expect(await whoIs(first.session)).toMatchObject({ id: user.id });
    people.set(sub, { email: "renamed@example.test", email_verified: false });
    expect(await whoIs((await signInAs(sub)).session)).toMatchObject({ id: user.id });
    const rows = await auditRows(user.orgId as string);
    expect(rows.map((r) => r.action)).toEqual(["user.identity.link", "user.login", "user.login"]);
    expect(rows[1]).toMatchObject({ details: { methods: ["oidc"], via: "browser" }, ipAddress: "198.51.100.60" });
  });

  it("rejects unverified, unknown and disabled users with the same error", async () => {
    const user = await createUser();
    const gone = await createUser({ disabled: true });
    for (const sub of [person({ email: user.email, email_verified: false }), person(), person({ email: gone.email })]) {
      const { last, session } = await signInAs(sub);
      expect(last.headers.get("location")).toBe("/login?error=oidc_unknown");
      expect(session).toBeUndefined();
    }
  });

  it("records a disabled user's first attempt and does not link them", async () => {
    const gone = await createUser({ role: "org_viewer", disabled: true });
    const sub = person({ email: gone.email });
    await signInAs(sub);
    const denied = { action: "user.login.failed", actorId: gone.id, result: "denied", details: { reason: "disabled" } };
    expect(await auditRows(gone.orgId as string)).toMatchObject([denied]);
    await changeRows(users, { id: gone.id }, { disabledAt: null });
    people.set(sub, { email: gone.email, email_verified: false });
    expect((await signInAs(sub)).session).toBeUndefined();
  });

  it("records a disabled user's attempt even when the default organization is full", async () => {
    const gone = await createUser({ role: "org_viewer", disabled: true });
    const org = await createOrg();
    await asSystem((tx) =>
      tx.execute(sql`
        INSERT INTO users (id, partner_id, org_id, email, name, role, disabled_at)
        SELECT gen_random_uuid(), ${org.partnerId}, ${org.id}, gen_random_uuid() || '@example.test', 'Full', 'org_viewer', now()
        FROM generate_series(1, 10000)`),
    );
    withSettings({ OIDC_JIT_ORGANIZATION: org.id });
    const { last } = await signInAs(person({ email: gone.email }));
    expect(last.headers.get("location")).toBe("/login?error=oidc_unknown");
    const denied = { action: "user.login.failed", actorId: gone.id, result: "denied", details: { reason: "disabled" } };
    expect(await auditRows(gone.orgId as string)).toMatchObject([denied]);
  });

  it("records the attempt of a linked user who was disabled since", async () => {
    const user = await createUser({ role: "org_viewer" });
    const sub = person({ email: user.email });
    await signInAs(sub);
    await changeRows(users, { id: user.id }, { disabledAt: new Date() });
    const { last, session } = await signInAs(sub);
    expect([last.headers.get("location"), session]).toEqual(["/login?error=oidc_unknown", undefined]);
    expect((await auditRows(user.orgId as string)).at(-1)).toMatchObject({
      action: "user.login.failed",
      actorId: user.id,
      result: "denied",
      details: { reason: "disabled" },
      ipAddress: "198.51.100.60",
    });
  });

  it("does not hand over an account with a reused address until an admin sends a link", async () => {
    const admin = await createUser({ role: "org_admin" });
    const user = await createUser({ role: "org_viewer", orgId: admin.orgId as string });
    const gone = person({ email: user.email });
    expect(await whoIs((await signInAs(gone)).session)).toMatchObject({ id: user.id });
    const heir = person({ email: user.email });
    expect((await signInAs(heir)).last.headers.get("location")).toBe("/login?error=oidc_unknown");
    expect(await whoIs((await signInAs(gone)).session)).toMatchObject({ id: user.id });
    expect((await call(admin, `POST /users/${user.id}/invite`)).status).toBe(200);
    expect(await whoIs((await signInAs(heir)).session)).toMatchObject({ id: user.id });
    expect((await signInAs(gone)).last.headers.get("location")).toBe("/login?error=oidc_unknown");
  });

  it("shows an error when the provider is unreachable or omits the address", async () => {
    const jar = createJar();
    const { csrfToken } = await (await here(jar, "/api/auth/csrf")).json();
    withSettings({ OIDC_ISSUER: "http://127.0.0.1:1" });
    let last = await here(jar, "/api/auth/signin/oidc", { csrfToken, callbackUrl: "/" });
    withSettings({ OIDC_ISSUER: issuer });
    const target = () => String(last.headers.get("location"));
    while (target().includes("/api/auth/")) last = await here(jar, target());
    expect(target()).toMatch(/\/login\?.*error=OAuthSignin$/);
    const mute = crypto.randomUUID();
    expect((await signInAs(mute)).last.headers.get("location")).toBe("/login?error=oidc_unknown");
  });

  it("asks for the second factor with a challenge that stays in the browser", async () => {
    const user = await createUser();
    const token = await bearer(user);
    const { secret } = (await call(token, "POST /me/two-factor/totp")).body;
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    await call(token, "POST /me/two-factor/totp/confirm", { code: totp.generate() });
    const { last, session } = await signInAs(person({ email: user.email }));
    expect(session).toBeUndefined();
    const challenge = /^\/login#(tmc_[\w-]{40})$/.exec(last.headers.get("location") ?? "")?.[1];
    expect(
      (
        await call(null, "POST /auth/token/second-factor", {
          challenge,
          code: totp.generate({ timestamp: Date.now() + 30_000 }),
        })
      ).status,
    ).toBe(200);
    const signedIn = (await auditRows(user.orgId as string)).find((r) => r.action === "user.login");
    expect(signedIn?.details).toMatchObject({ methods: ["oidc", "totp"] });
  });

  it("creates a viewer on first sign-in only if an organization is configured for it", async () => {
    const org = await createOrg();
    withSettings({ OIDC_JIT_ORGANIZATION: org.id });
    const { session } = await signInAs(person({ name: "Jo Just" }));
    expect(await whoIs(session)).toMatchObject({ role: "org_viewer", name: "Jo Just" });
    expect((await auditRows(org.id)).map((r) => r.action)).toEqual(["user.create", "user.identity.link", "user.login"]);
  });

  it("shortens a new viewer's name, and falls back to the address", async () => {
    const org = await createOrg();
    withSettings({ OIDC_JIT_ORGANIZATION: org.id });
    const nameOf = async (name: unknown) => {
      const sub = person({ name: name as string });
      const user = await whoIs((await signInAs(sub)).session);
      return user?.name === `${sub}@example.test` ? "the address" : user?.name;
    };
    expect(await nameOf("😀".repeat(300))).toBe("😀".repeat(255));
    for (const name of ["", " \n", 5, null, ["a"]]) expect(await nameOf(name)).toBe("the address");
  });

  it("links one of several concurrent subjects with the same address, once", async () => {
    const [shared, own] = [await createUser(), await createUser()];
    const enter = (sub: string, { email }: { email: string }) =>
      findByIdentity(systemCtx(), { sub, email, email_verified: true });
    const subjects = Array.from({ length: 8 }, () => crypto.randomUUID());
    const found = await Promise.all(subjects.map((sub) => enter(sub, shared)));
    expect(found.filter(Boolean)).toEqual([shared.id]);
    const again = await Promise.all(subjects.map(() => enter(own.id, own)));
    expect(again).toEqual(subjects.map(() => own.id));
    expect((await auditRows(own.orgId as string)).map((r) => r.action)).toEqual(["user.identity.link"]);
  });

  it("rejects subjects that are invalid or ambiguous in the database", async () => {
    for (const sub of ["", "a\0b", "\ud800", randomBytes(3000).toString("hex"), 12 as never]) {
      const { email } = await createUser();
      expect(await findByIdentity(systemCtx(), { sub, email, email_verified: true })).toBeUndefined();
    }
  });

  it("hides internal errors", async () => {
    withSettings({ OIDC_JIT_ORGANIZATION: "nothing that is an id" });
    const { last, session } = await signInAs(person());
    expect(last.headers.get("location")).toBe("/login?error=unavailable");
    expect(session).toBeUndefined();
  });

  it("rejects a callback that this browser did not start", async () => {
    const jar = createJar();
    const last = await here(jar, "/api/auth/callback/oidc?code=stolen&state=forged");
    expect(last.headers.get("location")).toContain("error=OAuthCallback");
    expect(jar.get("trailmark.session")).toBeUndefined();
  });
});
