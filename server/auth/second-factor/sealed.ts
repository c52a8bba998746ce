import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { derivedKey } from "@/server/derived-key";

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A secret as it is stored: AES-256-GCM under a key from NEXTAUTH_SECRET, bound to its person. */
export function seal(text: string, userId: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", derivedKey("two-factor"), iv).setAAD(Buffer.from(userId));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** @throws Error for text that was altered, is another person's, or was sealed under another NEXTAUTH_SECRET */
export function unseal(stored: string, userId: string): string {
  const bytes = Buffer.from(stored, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", derivedKey("two-factor"), bytes.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(userId))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return text.toString("utf8");
}

/** How a recovery code is stored: a person types it, so without its person and our key it says nothing. */
export const hashCode = (code: string, userId: string): string =>
  createHmac("sha256", derivedKey("recovery-codes")).update(`${userId} ${code}`).digest("hex");
