import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { env } from "./env";

const keys = new Map<string, Buffer>();

/** Derives a 32-byte key for one purpose from NEXTAUTH_SECRET, the same in every process (RFC 5869). */
export function derivedKey(purpose: string): Buffer {
  const key = keys.get(purpose) ?? Buffer.from(hkdfSync("sha256", env().NEXTAUTH_SECRET, "trailmark", purpose, 32));
  keys.set(purpose, key);
  return key;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Purpose and owner of a sealed text, both required to unseal it. */
type SealedFor = { purpose: string; owner: string };

/** Seals a reusable secret for storage: AES-256-GCM under a key from NEXTAUTH_SECRET. */
export function seal(text: string, { purpose, owner }: SealedFor): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", derivedKey(purpose), iv).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** @throws Error for altered text, another owner's, or one sealed under another NEXTAUTH_SECRET */
export function unseal(stored: string, { purpose, owner }: SealedFor): string {
  const bytes = Buffer.from(stored, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", derivedKey(purpose), bytes.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return text.toString("utf8");
}

/** Hexadecimal characters of the code that detects alteration. */
const CODE_CHARS = 16;

const codeFor = (purpose: string, text: string): string =>
  createHmac("sha256", derivedKey(purpose)).update(text).digest("hex").slice(0, CODE_CHARS);

/** A text in opaque signed form for clients. */
export const signText = (purpose: string, text: string): string =>
  Buffer.from(`${text}.${codeFor(purpose, text)}`).toString("base64url");

/** Text in an opaque form; null unless signed here for this purpose and unaltered. */
export function readSigned(purpose: string, opaque: string): string | null {
  const decoded = Buffer.from(opaque, "base64url");
  const [, text = "", code] = /^(.*)\.([0-9a-f]+)$/s.exec(decoded.toString("latin1")) ?? [];
  // Re-encoding refuses characters that base64url's decoder skips.
  return codeFor(purpose, text) === code && decoded.toString("base64url") === opaque ? text : null;
}
