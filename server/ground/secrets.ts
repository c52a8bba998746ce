import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** The prefix of each kind of secret, by which it is recognized in a file or a log, and refused at other doors. */
export const SECRET_PREFIXES = {
  apiKey: "tmk_",
  agent: "tma_",
  enrollment: "tme_",
  refresh: "tmr_",
  setup: "tms_",
  invite: "tmi_",
  reset: "tmp_",
  second_factor: "tmc_",
  passkey: "tmw_",
} as const;
export type SecretKind = keyof typeof SECRET_PREFIXES;

/** Characters of a secret that are kept in the clear, to recognise it in a list. */
const SHOWN_CHARS = 12;

/** SHA-256 in lower-case hex: the only form in which a secret is stored. Enough, because secrets hold 240 random bits. */
export const hashSecret = (secret: string): string => hash("sha256", secret, "hex");

/** A fresh secret: its text (shown once), what may be shown later, and what is stored. */
export function newSecret(kind: SecretKind): { secret: string; shown: string; hash: string } {
  const secret = SECRET_PREFIXES[kind] + randomBytes(30).toString("base64url");
  return { secret, shown: secret.slice(0, SHOWN_CHARS), hash: hashSecret(secret) };
}

/** True when a text has the shape of such a secret; spares the database a look-up of garbage. */
export const looksLike = (kind: SecretKind, text: string): boolean =>
  text.startsWith(SECRET_PREFIXES[kind]) && /^[\w-]{40}$/.test(text.slice(SECRET_PREFIXES[kind].length));

/** Compares two stored hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
