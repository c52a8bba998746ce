import { isIP } from "node:net";
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { and, eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { userPasskeys } from "@/db/schema";
import { env } from "@/server/ground/env";
import { AppError } from "@/server/ground/errors";
import { issueUserToken, spendUserToken } from "@/server/identity/auth/user-tokens";
import type { SecondFactors } from "./factors";

type Passkey = SecondFactors["passkeys"][number];

/** Purpose of a challenge: a prompt for a passkey must not allow registering one. */
type Ceremony = "create" | "get";

type Kept = { userId: string; ceremony: Ceremony; now: Date };

/** Stores a challenge with its purpose. @returns the secret that its answer must accompany */
export async function keepChallenge({ userId, ceremony, now }: Kept, challenge: string): Promise<string> {
  const issue = { userId, purpose: "passkey" as const, now, challenge: `${ceremony} ${challenge}` };
  return (await asSystem((tx) => issueUserToken(tx, issue))).secret;
}

/** Redeems a stored challenge, if it is this person's and for this purpose; null otherwise. */
export async function takeChallenge({ userId, ceremony, now }: Kept, secret: string): Promise<string | null> {
  const spent = await asSystem((tx) => spendUserToken(tx, { secret, purpose: "passkey", now }));
  const [kept, challenge = null] = spent?.challenge?.split(" ") ?? [];
  return spent?.userId === userId && kept === ceremony ? challenge : null;
}

/** Relying party (WebAuthn Level 3): name and origin under which browsers know this installation. */
function relyingParty(): { rpID: string; origin: string } | null {
  const { hostname, origin } = new URL(env().NEXTAUTH_URL);
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? { rpID: hostname, origin } : null;
}

/** False if the installation only has an IP address: browsers bind passkeys to names. */
export const arePasskeysPossible = (): boolean => relyingParty() !== null;

function requireRelyingParty() {
  const found = relyingParty();
  if (!found)
    throw new AppError("conflict", "Passkeys need a host name: NEXTAUTH_URL of this installation holds an address.");
  return found;
}

const toDescriptor = ({ credentialId, transports }: Passkey) => ({
  id: credentialId,
  transports: transports as never[],
});

/** Options for the browser to create a passkey; keep the challenge to check the answer. */
export const registrationOptions = (person: { id: string; email: string; name: string }, known: Passkey[]) =>
  generateRegistrationOptions({
    rpName: "Trailmark",
    rpID: requireRelyingParty().rpID,
    userID: new TextEncoder().encode(person.id),
    userName: person.email,
    userDisplayName: person.name,
    excludeCredentials: known.map(toDescriptor),
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
  });

/** Limits of a credential in base64url: an id of 1 to 1023 bytes (WebAuthn Level 3), and a key with room to spare. */
const CREDENTIAL_ID = /^[\w-]{2,1364}$/;
const MAX_PUBLIC_KEY = 8_192;
const TRANSPORT = /^[a-z-]{1,32}$/;

/** Transports of an authenticator named by its browser; unknown ones are dropped. */
const transportsIn = (given: unknown): string[] =>
  (Array.isArray(given) ? given : []).filter((one) => typeof one === "string" && TRANSPORT.test(one)).slice(0, 10);

/** True if a frame on another site requested it (WebAuthn Level 3, crossOrigin); our pages cannot be framed. */
const isFramed = (clientDataJSON: string): boolean =>
  JSON.parse(Buffer.from(clientDataJSON, "base64url").toString()).crossOrigin === true;

/** Parses a new credential; null if the answer does not fit the challenge or is not a valid credential. */
export async function readRegistration(response: unknown, expectedChallenge: string) {
  const { rpID, origin } = requireRelyingParty();
  const answer = response as RegistrationResponseJSON;
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: answer,
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: false,
  }).catch(() => ({ verified: false, registrationInfo: undefined }));
  if (!verified || !registrationInfo || isFramed(answer.response.clientDataJSON)) return null;
  const { id, publicKey, counter } = registrationInfo.credential;
  const key = Buffer.from(publicKey).toString("base64url");
  if (!CREDENTIAL_ID.test(id) || key.length > MAX_PUBLIC_KEY) return null;
  return { credentialId: id, publicKey: key, counter, transports: transportsIn(answer.response.transports) };
}

/** Options for the browser to prove one of a person's passkeys. */
export const authenticationOptions = (known: Passkey[]) =>
  generateAuthenticationOptions({
    rpID: requireRelyingParty().rpID,
    allowCredentials: known.map(toDescriptor),
    userVerification: "preferred",
  });

/** True if the answer proves one of the person's passkeys; records its use and its counter, which must have grown. */
export async function provesPasskey(
  userId: string,
  { response, challenge, now }: { response: unknown; challenge: string; now: Date },
): Promise<boolean> {
  const { rpID, origin } = requireRelyingParty();
  const answer = response as AuthenticationResponseJSON;
  const mine = and(eq(userPasskeys.userId, userId), eq(userPasskeys.credentialId, String(answer?.id)));
  const [known] = await asSystem((tx) => tx.select().from(userPasskeys).where(mine));
  if (!known) return false;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: answer,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: false,
    credential: {
      id: known.credentialId,
      publicKey: new Uint8Array(Buffer.from(known.publicKey, "base64url")),
      counter: known.counter,
    },
  }).catch(() => ({ verified: false, authenticationInfo: undefined }));
  if (!verified || !authenticationInfo || isFramed(answer.response.clientDataJSON)) return false;
  const used = { counter: authenticationInfo.newCounter, lastUsedAt: now };
  // Two concurrent answers with one counter, perhaps to two processes, mean a copied passkey.
  const unused = and(mine, eq(userPasskeys.counter, known.counter));
  return (await asSystem((tx) => tx.update(userPasskeys).set(used).where(unused).returning())).length > 0;
}
