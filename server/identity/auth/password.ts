import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { invalid } from "@/server/ground/errors";
import { CallerConcurrency, Concurrency } from "@/server/ground/limits/concurrency";

/** Leaves a core and file threads to other requests during a hundred sign-ins; each takes about 30 ms and 19 MiB. */
export const MAX_AT_ONCE = Math.max(1, availableParallelism() - 1);
const all = new Concurrency(MAX_AT_ONCE);
/** A network may queue as many as it may try in a minute ("token" in limits/windows.ts). */
const networks = new CallerConcurrency(MAX_AT_ONCE, { max: 300, ms: 30_000 });

/** Networks take turns, so that a client that tries a hundred passwords does not block others. */
const inNetworkTurn = <T>(from: string, work: () => Promise<T>): Promise<T> => networks.run(from, () => all.run(work));

/**
 * Argon2id with the library's defaults, which are OWASP's: 19 MiB, two passes, one lane.
 * @throws AppError rate_limited when too many are running already
 */
export const hashPassword = (password: string): Promise<string> => inNetworkTurn("", () => hash(password));

/** Minimum of zxcvbn's five grades: lower ones fall within 10,000 to 100,000,000 guesses. */
const MIN_GRADE = 3;
/** Longer passwords are judged by their start, because the time grows with the square of the length. */
const MAX_JUDGED = 64;

/** Loads zxcvbn with its word lists on demand: megabytes only needed when a password is chosen. */
async function loadJudge() {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs: graphs }] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs });
}
let judge: ReturnType<typeof loadJudge> | undefined;

/** The person choosing a password: attackers try name and address first. */
type Chooser = { email: string; name: string };

/**
 * Hashes a password chosen by a person.
 * @param path the input's member that contains it
 * @throws AppError validation_failed for an easily guessed one, rate_limited when too many are running already
 */
export async function hashChosen(password: string, { email, name }: Chooser, path = "password"): Promise<string> {
  judge ??= loadJudge();
  const { score } = (await judge).check(password.slice(0, MAX_JUDGED), [email, name, ...email.split("@")]);
  if (score < MIN_GRADE)
    throw invalid(path, "is easy to guess; choose several words that do not belong together, not your name or address");
  return hashPassword(password);
}

/** Hash for unknown people, so that the answer takes as long as for known ones. */
let decoy: Promise<string> | undefined;
function decoyHash(): Promise<string> {
  decoy ??= hashPassword(crypto.randomUUID()).catch((error: unknown) => {
    // Do not cache a failure.
    decoy = undefined;
    throw error;
  });
  return decoy;
}

/**
 * True if the password matches the hash; false without a hash, equally slow.
 * @param from the queue to use: the requesting network, or the person if known
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
