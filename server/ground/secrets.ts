import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** Prefix of each kind of secret, for recognition in files and logs, and refusal at other doors. */
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

/** Characters of a secret kept in plain text, for recognition in a list. */
const SHOWN_CHARS = 12;

/** SHA-256 in lowercase hex, the only stored form of a secret. Sufficient, because secrets have 240 random bits. */
export const hashSecret = (secret: string): string => hash("sha256", secret, "hex");

/** A new secret: its text (shown once), its visible prefix, and its hash. */
export function newSecret(kind: SecretKind): { secret: string; shown: string; hash: string } {
  const secret = SECRET_PREFIXES[kind] + randomBytes(30).toString("base64url");
  return { secret, shown: secret.slice(0, SHOWN_CHARS), hash: hashSecret(secret) };
}

/** True for a text in the form of such a secret; avoids database look-ups of garbage. */
export const looksLike = (kind: SecretKind, text: string): boolean =>
  text.startsWith(SECRET_PREFIXES[kind]) && /^[\w-]{40}$/.test(text.slice(SECRET_PREFIXES[kind].length));

/** Compares two stored hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
