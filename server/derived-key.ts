import { hkdfSync } from "node:crypto";
import { env } from "./env";

const keys = new Map<string, Buffer>();

/** A key of 32 bytes for one purpose, from NEXTAUTH_SECRET: the same in every process of an installation (RFC 5869). */
export function derivedKey(purpose: string): Buffer {
  const key = keys.get(purpose) ?? Buffer.from(hkdfSync("sha256", env().NEXTAUTH_SECRET, "trailmark", purpose, 32));
  keys.set(purpose, key);
  return key;
}
