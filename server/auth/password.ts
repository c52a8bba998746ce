import { hash, verify } from "@node-rs/argon2";

/** Argon2id with the library's defaults, which are OWASP's: 19 MiB, two passes, one lane. */
export const hashPassword = (password: string): Promise<string> => hash(password);

/** What an unknown person's password is compared with, so that the answer takes as long as for a known one. */
let decoy: Promise<string> | undefined;
function decoyHash(): Promise<string> {
  decoy ??= hash(crypto.randomUUID());
  return decoy;
}

/** True when the password belongs to the hash; without a hash always false, and just as slow. */
export async function verifyPassword(passwordHash: string | null | undefined, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await decoyHash()), password).catch(() => false);
  return matches && typeof passwordHash === "string";
}
