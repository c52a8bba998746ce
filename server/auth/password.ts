import { hash, verify } from "@node-rs/argon2";
import { shared } from "@/server/shared";

/** Argon2id with the library's defaults, which are OWASP's: 19 MiB, two passes, one lane. */
export const hashPassword = (password: string): Promise<string> => hash(password);

/** What an unknown person's password is compared with, so that the answer takes as long as for a known one. */
const nobodysHash = () => shared("auth.nobody", () => hash(crypto.randomUUID()));

/** True when the password belongs to the hash; without a hash always false, and just as slow. */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await nobodysHash()), password).catch(() => false);
  return matches && passwordHash !== undefined;
}
