import { createHash, createPrivateKey, createPublicKey, type KeyObject, webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { messageOf } from "@/db/thrown";
import type { Scope } from "@/server/ground/context";
import { env, unusableVariable } from "@/server/ground/env";
import { ownPartner } from "@/server/ground/scope";

/** Lifetime of an access token from POST /auth/token. */
export const ACCESS_TOKEN_SECONDS = 15 * 60;
/** Lifetime of a browser session; the same token, in an httpOnly cookie. */
export const SESSION_SECONDS = 12 * 60 * 60;

const ISSUER = "trailmark";
const AUDIENCE = "trailmark-api";
/** RFC 9068: marks an access token, so that no other JWT signed with our key passes for one. */
const TYPE = "at+jwt";

const claims = z.object({
  sub: z.guid(),
  sid: z.guid(),
  scope: z.enum(["organization", "partner", "system"]),
  orgId: z.guid().optional(),
  partnerId: z.guid().optional(),
});
/** sid identifies the sign-in (its refresh family): revoking it ends all of its tokens at once. */
export type AccessClaims = z.infer<typeof claims>;

type Key = webcrypto.CryptoKey | KeyObject;
type Keys = { alg: "HS256" | "EdDSA"; sign: Key; verify: Key };

function readKeyFile(file: string): KeyObject {
  try {
    const key = createPrivateKey(readFileSync(file));
    if (key.asymmetricKeyType !== "ed25519") throw new Error("it must be an Ed25519 key");
    return key;
  } catch (error) {
    const reason = `${file} holds no readable Ed25519 key (PKCS8 PEM): ${messageOf(error)}`;
    throw unusableVariable("TRAILMARK_JWT_KEY_FILE", reason);
  }
}

async function loadKeys(): Promise<Keys> {
  const file = env().TRAILMARK_JWT_KEY_FILE;
  if (file) {
    const sign = readKeyFile(file);
    return { alg: "EdDSA", sign, verify: createPublicKey(sign) };
  }
  const secret = Buffer.from(env().NEXTAUTH_SECRET);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await webcrypto.subtle.importKey("raw", secret, hmac, false, ["sign", "verify"]);
  return { alg: "HS256", sign: key, verify: key };
}

let loaded: Promise<Keys> | undefined;
function keys(): Promise<Keys> {
  loaded ??= loadKeys();
  return loaded;
}

/** @throws EnvError when TRAILMARK_JWT_KEY_FILE cannot be used; called at startup, before the first sign-in */
export async function checkTokenKey(): Promise<void> {
  await keys();
}

/** Claims about reach, for the client's information: the server reads the reach at every request. */
export function scopeClaims(scope: Scope): Pick<AccessClaims, "scope" | "orgId" | "partnerId"> {
  if (scope.kind === "organization") return { scope: "organization", orgId: scope.orgIds[0] };
  const partnerId = ownPartner(scope);
  return partnerId === null ? { scope: "system" } : { scope: "partner", partnerId };
}

/** Signs an access token with a lifetime in seconds. */
export async function signAccessToken(payload: AccessClaims, seconds = ACCESS_TOKEN_SECONDS): Promise<string> {
  const { alg, sign } = await keys();
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ ...payload })
    .setProtectedHeader({ alg, typ: TYPE })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(now)
    .setExpirationTime(now + seconds)
    .setJti(crypto.randomUUID())
    .sign(sign);
}

type Verified = AccessClaims & { exp: number };

/**
 * Tokens with a verified signature, by hash: a client sends one for minutes, and verifying on another thread takes
 * longer than all other authentication. Only the expiry is time-dependent.
 */
const verified = new Map<string, Verified>();
const MAX_VERIFIED = 1_000;

/**
 * Claims of a token that we signed, valid at a moment; null for any other text. Serves cookie and Bearer.
 * @param at by default now
 */
export async function verifyAccessToken(token: string, at = new Date()): Promise<Verified | null> {
  if (token.length > 4096 || token.split(".").length !== 3) return null;
  const hash = createHash("sha256").update(token).digest("base64");
  const known = verified.get(hash);
  if (known && known.exp > at.getTime() / 1000) return known;
  const found = await verifySignature(token, at);
  verified.delete(hash);
  if (!found) return null;
  const [oldest] = verified.size < MAX_VERIFIED ? [] : verified.keys();
  if (oldest) verified.delete(oldest);
  verified.set(hash, found);
  return found;
}

async function verifySignature(token: string, at: Date): Promise<Verified | null> {
  const { alg, verify } = await keys();
  try {
    const { payload } = await jwtVerify(token, verify, {
      algorithms: [alg],
      issuer: ISSUER,
      audience: AUDIENCE,
      typ: TYPE,
      requiredClaims: ["exp", "sub"],
      currentDate: at,
    });
    const parsed = claims.safeParse(payload);
    return parsed.success ? { ...parsed.data, exp: payload.exp ?? 0 } : null;
  } catch {
    return null;
  }
}
