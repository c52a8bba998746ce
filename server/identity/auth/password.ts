import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { invalid } from "@/server/ground/errors";
import { CallerConcurrency, Concurrency } from "@/server/ground/limits/concurrency";

/** A hundred sign-ins at once leave a core, and threads for files, to all other requests; each takes some 30 ms and 19 MiB. */
export const MAX_AT_ONCE = Math.max(1, availableParallelism() - 1);
const all = new Concurrency(MAX_AT_ONCE);
/** Of one network no more wait than it may try in a minute ("token" in limits/windows.ts). */
const networks = new CallerConcurrency(MAX_AT_ONCE, { max: 300, ms: 30_000 });

/** Networks take turns: a client that tries a hundred passwords keeps nobody else from signing in. */
const inNetworkTurn = <T>(from: string, work: () => Promise<T>): Promise<T> => networks.run(from, () => all.run(work));

/**
 * Argon2id with the library's defaults, which are OWASP's: 19 MiB, two passes, one lane.
 * @throws AppError rate_limited when too many are being made already
 */
export const hashPassword = (password: string): Promise<string> => inNetworkTurn("", () => hash(password));

/** Of zxcvbn's five grades those that ten thousand to a hundred million guesses break are refused. */
const MIN_GRADE = 3;
/** Longer ones are judged by their beginning: the time that it takes grows with the square of their length. */
const MAX_JUDGED = 64;

/** zxcvbn with its lists of common passwords and words: megabytes that no process needs before a password is chosen. */
async function loadJudge() {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs: graphs }] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs });
}
let judge: ReturnType<typeof loadJudge> | undefined;

/** The person who chooses a password: their name and address are the first that others try. */
type Chooser = { email: string; name: string };

/**
 * The hash of a password that a person chooses.
 * @param path the input's member that holds it
 * @throws AppError validation_failed for one that is easy to guess, rate_limited when too many are being made already
 */
export async function hashChosen(password: string, { email, name }: Chooser, path = "password"): Promise<string> {
  judge ??= loadJudge();
  const { score } = (await judge).check(password.slice(0, MAX_JUDGED), [email, name, ...email.split("@")]);
  if (score < MIN_GRADE)
    throw invalid(path, "is easy to guess; choose several words that do not belong together, not your name or address");
  return hashPassword(password);
}

/** A hash to compare an unknown person's password with, so that the answer takes as long as for a known one. */
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
  const matches = await inNetworkTurn(from ?? "", () => verify(against, password).catch(() => false));
  return matches && typeof passwordHash === "string";
}
