import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { backOffFactor, FairShare } from "@/server/ground/limits/fair-share";
import { RecentCounts } from "@/server/ground/limits/recent-counts";

/** A hundred sign-ins at once leave a core, and threads for files, to all other requests; each takes some 30 ms and 19 MiB. */
export const MAX_AT_ONCE = Math.max(1, availableParallelism() - 1);
/** Those of one turn-taker: more than one network may try in a minute ("token" in limits/rate-limit.ts). */
const MAX_WAITING = 300;
const MAX_WAIT_MS = 30_000;
const wrong = new RecentCounts();
/**
 * Networks take turns, so that a client that tries a hundred passwords keeps nobody else from signing in. It pauses
 * after wrong ones, which leaves time for other requests; right ones add no delay.
 */
const share = new FairShare(
  { total: MAX_AT_ONCE, perCaller: MAX_AT_ONCE, waiting: MAX_WAITING, waitMs: MAX_WAIT_MS },
  (from) => backOffFactor(wrong.of(from)),
);

/**
 * Argon2id with the library's defaults, which are OWASP's: 19 MiB, two passes, one lane.
 * @throws AppError rate_limited when too many are being made already
 */
export const hashPassword = (password: string): Promise<string> => share.run("", () => hash(password));

/** What an unknown person's password is compared with, so that the answer takes as long as for a known one. */
let decoy: Promise<string> | undefined;
function decoyHash(): Promise<string> {
  decoy ??= hashPassword(crypto.randomUUID()).catch((error: unknown) => {
    // A refusal must not be kept: the next one asks again.
    decoy = undefined;
    throw error;
  });
  return decoy;
}

/**
 * True when the password belongs to the hash; without a hash always false, and just as slow.
 * @param from whose turn it takes: the network's that asks, or the person's where that is known already
 * @throws AppError rate_limited when too many of the same wait, or it has waited for too long
 */
export async function verifyPassword(
  passwordHash: string | null | undefined,
  password: string,
  from: string | null,
): Promise<boolean> {
  const against = passwordHash ?? (await decoyHash());
  return share.run(from ?? "", async () => {
    const matches = await verify(against, password).catch(() => false);
    const isRight = matches && typeof passwordHash === "string";
    if (!isRight) wrong.note(from ?? "");
    return isRight;
  });
}
