import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { Ctx } from "@/server/ground/context";
import { derivedKey } from "@/server/ground/derived-key";
import { AppError, invalid } from "@/server/ground/errors";
import { writeExact } from "@/server/ground/exact-json";
import { log } from "@/server/ground/log";
import type { Answer } from "./answer";

/** Request header, and the header that marks a repeated answer. */
export const IDEMPOTENCY_HEADER = "Idempotency-Key";
const REPLAYED_HEADER = "Idempotency-Replayed";

const KEEP = sql`interval '24 hours'`;
/** A request without a renewal for this long died with its process and may be retried. */
const DEAD_AFTER = sql`interval '1 minute'`;
const RENEW_MS = 15_000;
/** Maximum of expired rows deleted per claim; more than one, so that the table shrinks. */
const PRUNED_AT_ONCE = 100;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A request with an Idempotency-Key: sender, key, and a text unique to the request. */
export type Repeatable = { caller: string; key: string; request: string };
type Held = { repeatable: Repeatable; mark: string };
type Stored = { requestHash: string; status: number | null; answer: string | null };
type Claim = { kind: "claimed"; mark: string } | { kind: "known"; stored: Stored };
/** Keeps the answer in the transaction of the work. @throws AppError conflict if another request has taken the claim */
export type KeepAnswer = (tx: Tx, answer: Answer) => Promise<void>;

/** Keyed, so that passwords and keys in a request cannot be guessed from the table. */
const digest = (...parts: string[]): string =>
  createHmac("sha256", derivedKey("idempotency")).update(JSON.stringify(parts)).digest("hex");

const answerKey = ({ caller, key }: Repeatable): Buffer =>
  Buffer.from(hkdfSync("sha256", derivedKey("idempotency"), key, `answer to ${caller}`, 32));

function seal(repeatable: Repeatable, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", answerKey(repeatable), iv);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
}

function unseal(repeatable: Repeatable, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64");
  const decipher = createDecipheriv("aes-256-gcm", answerKey(repeatable), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
}

/** Key of a request; null if it has none. @throws AppError validation_failed for a malformed one */
export function idempotencyKeyOf({ headers }: Request): string | null {
  const key = headers.get(IDEMPOTENCY_HEADER);
  if (key !== null && !/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalid(IDEMPOTENCY_HEADER, "is 1 to 255 visible characters");
  return key;
}

/** Identifies the sender: its actor, or the proof in an anonymous request. */
export function repeaterOf({ actor }: Ctx, proof: unknown): string {
  return actor.type === "system" ? `proof ${String(proof)}` : `${actor.type} ${actor.id}`;
}

/** The same text for the same request in any process. */
export const requestText = ({ method, url }: Request, input: unknown): string =>
  `${method} ${new URL(url).pathname} ${writeExact(JSON.stringify(input))}`;

/** Until answered, the column holds the claim's mark, which distinguishes it from later claims. */
function claim(repeatable: Repeatable): Promise<Claim> {
  const mark = crypto.randomUUID();
  const [caller, keyHash, requestHash] = [
    digest("caller", repeatable.caller),
    digest("key", repeatable.key),
    digest("request", repeatable.request),
  ];
  return asSystem(async (tx): Promise<Claim> => {
    await tx.execute(sql`
      DELETE FROM idempotency_keys WHERE (caller, key_hash) IN (
        SELECT caller, key_hash FROM idempotency_keys
        WHERE claimed_at < now() - ${KEEP} LIMIT ${PRUNED_AT_ONCE} FOR UPDATE SKIP LOCKED)`);
    const [mine] = await rowsOf<{ mark: string }>(
      tx,
      sql`INSERT INTO idempotency_keys AS k (caller, key_hash, request_hash, answer)
        VALUES (${caller}, ${keyHash}, ${requestHash}, ${mark})
        ON CONFLICT (caller, key_hash) DO UPDATE
        SET request_hash = excluded.request_hash, status = NULL, answer = excluded.answer, claimed_at = excluded.claimed_at
        WHERE k.claimed_at < now() - ${KEEP} OR (k.status IS NULL AND k.claimed_at < now() - ${DEAD_AFTER})
        RETURNING answer AS mark`,
    );
    if (mine) return { kind: "claimed", mark };
    const [stored] = await rowsOf<Stored>(
      tx,
      sql`SELECT request_hash AS "requestHash", status, answer FROM idempotency_keys
        WHERE caller = ${caller} AND key_hash = ${keyHash}`,
    );
    return { kind: "known", stored: stored ?? { requestHash, status: null, answer: null } };
  });
}

/** The row, while this claim holds it unanswered. */
const heldBy = ({ caller, key }: Repeatable, mark: string): SQL => sql`
  caller = ${digest("caller", caller)} AND key_hash = ${digest("key", key)} AND status IS NULL AND answer = ${mark}`;

/** Renews the claim, so that no other process considers a long request dead. */
async function whileRenewed<T>({ repeatable, mark }: Held, work: () => Promise<T>): Promise<T> {
  const renewal = sql`UPDATE idempotency_keys SET claimed_at = clock_timestamp() WHERE ${heldBy(repeatable, mark)}`;
  const timer = setInterval(() => void asSystem((tx) => tx.execute(renewal)).catch(() => {}), RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** @returns whether the claim was still there */
async function keepAnswer(tx: Tx, { repeatable, mark }: Held, answer: Answer): Promise<boolean> {
  const sealed = seal(repeatable, JSON.stringify(answer));
  const kept = await rowsOf(
    tx,
    sql`UPDATE idempotency_keys SET status = ${answer.status}, answer = ${sealed}
      WHERE ${heldBy(repeatable, mark)} RETURNING true`,
  );
  return kept.length > 0;
}

/** Keeps an answer that the work did not keep itself, or frees the key if there is none. */
async function settle({ repeatable, mark }: Held, answer: Answer | null): Promise<void> {
  await asSystem(async (tx) => {
    if (answer) await keepAnswer(tx, { repeatable, mark }, answer);
    else await tx.execute(sql`DELETE FROM idempotency_keys WHERE ${heldBy(repeatable, mark)}`);
  }).catch((error) => log.warn({ err: error }, "the answer to a request with an Idempotency-Key could not be kept"));
}

const underWay = () =>
  new AppError("conflict", "The same request is still under way.", { headers: { "Retry-After": "1" } });

function repeated(repeatable: Repeatable, { requestHash, status, answer }: Stored): Answer {
  if (requestHash !== digest("request", repeatable.request)) throw new AppError("idempotency_mismatch");
  if (status === null || answer === null) throw underWay();
  const first: Answer = JSON.parse(unseal(repeatable, answer));
  return { ...first, headers: { ...first.headers, [REPLAYED_HEADER]: "true" } };
}

/**
 * Runs a request once: repeated within a day, it gets the first answer and nothing happens. Only successful answers are
 * kept.
 * @param run may keep its answer with its work, so that a crash leaves both or neither
 * @throws AppError idempotency_mismatch for another request under the same key, conflict while the first is under way
 */
export async function once(
  repeatable: Repeatable,
  run: (keep: KeepAnswer) => Promise<Answer | Response>,
): Promise<Answer | Response> {
  const claimed = await claim(repeatable);
  if (claimed.kind === "known") return repeated(repeatable, claimed.stored);
  const held = { repeatable, mark: claimed.mark };
  const keep: KeepAnswer = async (tx, answer) => {
    if (!(await keepAnswer(tx, held, answer))) throw underWay();
  };
  let answer: Answer | Response | null = null;
  try {
    answer = await whileRenewed(held, () => run(keep));
    return answer;
  } finally {
    await settle(held, answer instanceof Response ? null : answer);
  }
}
