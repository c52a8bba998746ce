import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerNextAuth } from "@/server/doors/http/next-auth";
import { env } from "@/server/ground/env";
import { createUser, type TestUser } from "@/testing/factories";
import { type HttpDouble, json, startHttpDouble } from "@/testing/http-double";
import { withSettings } from "@/testing/settings";

const CLIENT = "trailmark";
/** Has never come from the provider. */
const STRANGER = `stranger-${crypto.randomUUID()}@example.test`;
type Forgery = { claims?: object; expiresAt?: number; issuedAt?: number; foreignKey?: boolean; userinfo?: object };

let server: HttpDouble;
let issuer: string;
let victim: TestUser;
/** What the provider says of the person who signs in, and what is wrong with it. */
let forgery: Forgery = {};
let nonce: string | null = null;

beforeAll(async () => {
  victim = await createUser();
  await createUser({ email: STRANGER });
  const [own, foreign] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  const keys = [{ ...(await exportJWK(own.publicKey)), kid: "k", alg: "RS256", use: "sig" }];
  const person = { sub: "victim", email: victim.email, email_verified: true };
  const idToken = () =>
    new SignJWT({ nonce, iss: issuer, aud: CLIENT, ...person, ...forgery.claims })
      .setProtectedHeader({ alg: "RS256", kid: "k" })
      .setIssuedAt(forgery.issuedAt)
      .setExpirationTime(forgery.expiresAt ?? "5m")
      .sign(forgery.foreignKey ? foreign.privateKey : own.privateKey);
  const answers: Record<string, () => object | Promise<object>> = {
    "/.well-known/openid-configuration": () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/me`,
      jwks_uri: `${issuer}/jwks`,
    }),
    "/jwks": () => ({ keys }),
    "/token": async () => ({ access_token: "a", token_type: "Bearer", id_token: await idToken() }),
    "/me": () => ({ ...person, ...forgery.userinfo }),
  };
  server = await startHttpDouble(async ({ path }) => {
    const body = await answers[path]?.();
    return json(body ?? {}, body ? 200 : 404);
  });
  issuer = server.url;
  withSettings({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT, OIDC_CLIENT_SECRET: "a secret of the client" });
});
afterAll(() => server.close());

/** Goes to the provider and comes back with a code, as a browser does. @returns the session that it gets, if any */
async function signIn(): Promise<string | undefined> {
  const cookies = new Map<string, string>();
  const here = async (path: string, form?: Record<string, string>) => {
    const target = new URL(path, env().NEXTAUTH_URL);
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const headers = { cookie, "x-trailmark-peer": "198.51.100.61" };
    const body = form && new URLSearchParams(form);
    const request = new Request(target, body ? { method: "POST", headers, body } : { headers });
    const nextauth = target.pathname.replace("/api/auth/", "").split("/");
    const response = await answerNextAuth(request, { params: Promise.resolve({ nextauth }) });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value) cookies.set(name, value);
    }
    return response;
  };
  const { csrfToken } = await (await here("/api/auth/csrf")).json();
  const left = await here("/api/auth/signin/oidc", { csrfToken, callbackUrl: "/" });
  const asked = new URL(left.headers.get("location") ?? "").searchParams;
  nonce = asked.get("nonce");
  await here(`/api/auth/callback/oidc?code=c&state=${encodeURIComponent(asked.get("state") ?? "")}`);
  return cookies.get("trailmark.session");
}

const asStranger = (over: object): Forgery => ({
  claims: { sub: "new" },
  userinfo: { sub: "new", email: STRANGER, ...over },
});

const soon = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

describe("ID tokens from an OpenID Connect provider", () => {
  it("sign the user in when valid", async () => {
    forgery = {};
    expect(await signIn()).toBeDefined();
  });

  // A time in the token is counted from when it is signed, not from when this list is read.
  it.each<[string, Forgery | (() => Forgery)]>([
    ["is for another application", { claims: { aud: "another-application" } }],
    ["answers another sign-in", { claims: { nonce: "of another sign-in" } }],
    ["answers none", { claims: { nonce: undefined } }],
    ["is from another provider", { claims: { iss: "https://elsewhere.example" } }],
    ["has expired", { expiresAt: 1_700_000_000 }],
    ["was signed tomorrow", () => ({ issuedAt: soon(86_400), expiresAt: soon(90_000) })],
    ["was signed in two minutes", () => ({ issuedAt: soon(120) })],
    ["is signed by another key", { foreignKey: true }],
    ["has a different subject than its userinfo", { userinfo: { sub: "somebody else" } }],
    ["has an unverified address", asStranger({ email_verified: false })],
    ["has email_verified as text", asStranger({ email_verified: "true" })],
  ])("are rejected when the token %s", async (_, wrong) => {
    forgery = typeof wrong === "function" ? wrong() : wrong;
    expect(await signIn()).toBeUndefined();
  });

  it("are accepted with a clock that is slightly ahead", async () => {
    forgery = { issuedAt: soon(5) };
    expect(await signIn()).toBeDefined();
  });

  it("are accepted with a verified address", async () => {
    forgery = asStranger({ email_verified: true });
    expect(await signIn()).toBeDefined();
  });
});
