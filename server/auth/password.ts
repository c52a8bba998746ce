import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { Turns } from "@/server/limits/turns";

/** A hundred sign-ins at once leave a core, and threads for files, to everybody else; each takes some 30 ms and 19 MiB. */
export const MAX_AT_ONCE = Math.max(1, availableParallelism() - 1);
const turns = new Turns(MAX_AT_ONCE);

/** Argon2id with the library's defaults, which are OWASP's: 19 MiB, two passes, one lane. */
export const hashPassword = (password: string): Promise<string> => turns.run(() => hash(password));

/** What an unknown person's password is compared with, so that the answer takes as long as for a known one. */
let decoy: Promise<string> | undefined;
function decoyHash(): Promise<string> {
  decoy ??= hashPassword(crypto.randomUUID());
  return decoy;
}

/** True when the password belongs to the hash; without a hash always false, and just as slow. */
export async function verifyPassword(passwordHash: string | null | undefined, password: string): Promise<boolean> {
  const against = passwordHash ?? (await decoyHash());
  const matches = await turns.run(() => verify(against, password)).catch(() => false);
  return matches && typeof passwordHash === "string";
}
