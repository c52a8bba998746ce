import type { NextAuthOptions, User } from "next-auth";
import Credentials from "next-auth/providers/credentials";
import type { Ctx } from "@/server/ground/context";
import { env, isHttps } from "@/server/ground/env";
import { AppError } from "@/server/ground/errors";
import { log } from "@/server/ground/log";
import { inOneLine } from "@/server/ground/text";
import { findUserCaller } from "./caller";
import { findById } from "./find-by-email";
import { type AccessClaims, SESSION_SECONDS, scopeClaims, signAccessToken, verifyAccessToken } from "./jwt";
import { findByIdentity, oidcProvider, type Profile } from "./oidc/oidc";
import { secondFactorInput, tokenInput } from "./schema";
import { answerChallenge, secondFactorRequired } from "./second-factor/challenge";
import { secondFactorsOf } from "./second-factor/factors";
import { sessionCookie } from "./session-cookie";
import { type Door, endSignIn, startSession } from "./sessions";
import { recordFailure, signIn } from "./sign-in";

/** Default export of a CommonJS package, for which Node returns the whole exports object. */
export const defaultOf = <T>(imported: T): T => (imported as { default?: T }).default ?? imported;

/** Called for a refusal unrelated to the password: next-auth itself only answers 401. */
type OnRefused = (error: unknown) => void;
type SignedIn = User & { claims: AccessClaims };

const MAX_CODE_LENGTH = 100;
const BROWSER: Door = { via: "browser", seconds: SESSION_SECONDS };

type Fields = Record<string, unknown>;

/** The two steps of a sign-in by their form data; null for an incomplete form. */
const STEPS = {
  credentials(ctx: Ctx, { email, password }: Fields) {
    const input = tokenInput.safeParse({ email, password });
    return input.success ? signIn(ctx, input.data, BROWSER) : null;
  },
  "second-factor"(ctx: Ctx, { challenge, code, passkey }: Fields) {
    const answer = typeof passkey === "string" ? { passkey: parsed(passkey) } : { code };
    const input = secondFactorInput.safeParse({ challenge, ...answer });
    return input.success ? answerChallenge(ctx, input.data, BROWSER) : null;
  },
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function authorize(
  step: keyof typeof STEPS,
  { ctx, credentials, onRefused }: { ctx: Ctx; credentials: unknown; onRefused: OnRefused },
): Promise<SignedIn | null> {
  try {
    const done = await STEPS[step](ctx, (credentials ?? {}) as Fields);
    if (!done) return null;
    const { caller, sid } = done;
    const { id, name, email: address } = caller.actor;
    return { id, name, email: address, claims: { sub: id, sid, ...scopeClaims(caller.scope) } };
  } catch (error) {
    // next-auth passes an Error's message to the page as ?error=; our codes are safe to show.
    if (error instanceof AppError && error.code === "unauthenticated") return null;
    onRefused(error);
    throw new Error(error instanceof AppError ? error.code : "unavailable");
  }
}

/**
 * Signs in a person proven by an identity provider, under the rules for passwords: with a second factor, continues with
 * a challenge after #, which stays in the browser.
 * @returns true, or the page to redirect to
 */
async function enterByOidc(ctx: Ctx, profile: Profile, user: User): Promise<true | string> {
  const userId = await findByIdentity(ctx, profile);
  const caller = userId ? await findUserCaller(userId) : null;
  if (!caller) {
    const row = userId ? await findById(userId) : undefined;
    if (row?.disabledAt) recordFailure(ctx, { email: row.email, row, reason: "disabled" });
    return "/login?error=oidc_unknown";
  }
  const { actor } = caller;
  const factors = await secondFactorsOf(actor.id);
  if (factors.isOn) {
    const required = await secondFactorRequired({ userId: actor.id, factors, first: "oidc", now: ctx.now() });
    return `/login#${required.extra.secondFactor?.challenge}`;
  }
  const { sid } = await startSession(ctx, caller, { ...BROWSER, methods: ["oidc"] });
  const claims: AccessClaims = { sub: actor.id, sid, ...scopeClaims(caller.scope) };
  Object.assign(user, { id: actor.id, claims });
  return true;
}

/** next-auth would pass any error's message to the page as ?error=, including SQL and parameters. */
const orSayWhy = (entered: Promise<true | string>): Promise<true | string> =>
  entered.catch((error: unknown) => {
    if (!(error instanceof AppError)) log.error({ err: error }, "sign-in by the identity provider");
    return `/login?error=${error instanceof AppError ? error.code : "unavailable"}`;
  });

/** A next-auth code; browsers post it, so it is untrusted. */
const codeText = (code: unknown): string => (typeof code === "string" ? inOneLine(code).slice(0, MAX_CODE_LENGTH) : "");

async function leave(ctx: Ctx, claims: AccessClaims | null): Promise<void> {
  const caller = claims && (await findUserCaller(claims.sub, { sid: claims.sid, viaCookie: true }));
  if (claims && caller) await endSignIn({ ...ctx, ...caller }, claims.sid);
}

/**
 * next-auth's settings for one request; ctx has its origin for the audit entries. The cookie holds the same signed
 * token as the API, so one verifier serves both.
 */
export function authOptions(ctx: Ctx, onRefused: OnRefused): NextAuthOptions {
  const oidc = oidcProvider();
  const secure = isHttps();
  return {
    secret: env().NEXTAUTH_SECRET,
    pages: { signIn: "/login", signOut: "/login", error: "/login" },
    useSecureCookies: secure,
    cookies: {
      sessionToken: { name: sessionCookie(secure), options: { httpOnly: true, sameSite: "lax", path: "/", secure } },
    },
    session: { strategy: "jwt", maxAge: SESSION_SECONDS },
    jwt: {
      maxAge: SESSION_SECONDS,
      encode: async ({ token, maxAge }) => signAccessToken(token as AccessClaims, maxAge ?? SESSION_SECONDS),
      decode: async ({ token }) => (token ? verifyAccessToken(token) : null),
    },
    providers: [
      ...(oidc ? [oidc] : []),
      defaultOf(Credentials)({
        credentials: { email: { type: "email" }, password: { type: "password" } },
        authorize: (credentials) => authorize("credentials", { ctx, credentials, onRefused }),
      }),
      defaultOf(Credentials)({
        id: "second-factor",
        credentials: { challenge: { type: "text" }, code: { type: "text" }, passkey: { type: "text" } },
        authorize: (credentials) => authorize("second-factor", { ctx, credentials, onRefused }),
      }),
    ],
    callbacks: {
      signIn: ({ user, account, profile }) =>
        account?.provider === "oidc" ? orSayWhy(enterByOidc(ctx, profile as Profile, user)) : true,
      jwt: ({ token, user }) => {
        if (user) return { ...(user as SignedIn).claims };
        const { sub, sid, scope, orgId, partnerId } = token as AccessClaims;
        return { sub, sid, scope, ...(orgId ? { orgId } : {}), ...(partnerId ? { partnerId } : {}) };
      },
      session: ({ session }) => ({ expires: session.expires }),
    },
    events: { signOut: ({ token }) => leave(ctx, token as AccessClaims | null) },
    // The metadata may contain typed text, so only the code is logged. Any client can cause these with an address.
    logger: { error: (code) => log.info({ code: codeText(code) }, "next-auth"), warn: () => {}, debug: () => {} },
  };
}
