import { hasFreeReader, type ReaderPool, waitingReaders } from "@/server/evidence/chain/chain-stream";
import { tooMany } from "@/server/ground/errors";
import { type InSnapshot, type Judged, judgeChain } from "./judge";

/** Verifications that one caller may have running or waiting in one process. */
export const VERIFY_SLOTS = { kind: "verifications", max: 8, advice: "Wait until one of them has ended." };
/** Chains that may wait to be read in one process; the night's own readings wait beyond that too. */
const MAX_WAITING = 32;
const RETRY_AFTER_SECONDS = 30;

/** A part of more sequences than this waits with the whole chains: what is short must not follow it. */
const SHORT_ROWS = 50_000;

/** One reading of a whole chain and those who wait for it. */
type Run = { found: Promise<Judged>; subscribers: Set<Subscriber>; abort: AbortController };
/** Who waits for a reading: what they hear of it, when they leave, and what they do in its snapshot at the end. */
export type Subscriber = {
  onProgress?: ((rows: number) => void) | undefined;
  signal?: AbortSignal | undefined;
  inSnapshot?: InSnapshot | undefined;
};

const runs = new Map<string, Run>();

function start(orgId: string): Run {
  const abort = new AbortController();
  const subscribers = new Set<Subscriber>();
  const onProgress = (rows: number) => {
    for (const subscriber of subscribers) subscriber.onProgress?.(rows);
  };
  const end = () => {
    if (runs.get(orgId) === run) runs.delete(orgId);
  };
  const inSnapshot: InSnapshot = async (judged, reader) => {
    // Who asks from now on would come too late to see this snapshot.
    end();
    for (const subscriber of subscribers) await subscriber.inSnapshot?.(judged, reader);
  };
  const found = judgeChain(orgId, { onProgress, signal: abort.signal, inSnapshot });
  const run: Run = { found, subscribers, abort };
  run.found.then(end, end);
  runs.set(orgId, run);
  return run;
}

/** Resolves never; rejects when the subscriber goes away. */
function rejectOnAbort(signal: AbortSignal | undefined): { promise: Promise<never>; stop: () => void } {
  let stop = () => {};
  const promise = new Promise<never>((_, reject) => {
    const leave = () => reject(new Error("cancelled"));
    if (signal?.aborted) leave();
    signal?.addEventListener("abort", leave, { once: true });
    stop = () => signal?.removeEventListener("abort", leave);
  });
  promise.catch(() => {});
  return { promise, stop };
}

/** The verification of this whole chain that is in progress, if any. */
export const runningVerification = (orgId: string): Promise<Judged> | null => runs.get(orgId)?.found ?? null;

/** @throws AppError rate_limited when too many chains wait for such a connection */
function refuseCrowd(pool: ReaderPool): void {
  if (hasFreeReader(pool) || waitingReaders(pool) < MAX_WAITING) return;
  const message = `${MAX_WAITING} verifications are waiting already. Try again later.`;
  throw tooMany(message, { limit: MAX_WAITING, seconds: RETRY_AFTER_SECONDS });
}

type Part = { fromSeq?: number | undefined; toSeq?: number | undefined };

/**
 * Verifies a part of a chain by sequence, for one subscriber; an end that is left out is the chain's own.
 * @throws AppError rate_limited when too many chains wait to be read
 */
export async function verifyPart(orgId: string, { fromSeq = 1, toSeq }: Part, subscriber: Subscriber): Promise<Judged> {
  const last = toSeq ?? Number.MAX_SAFE_INTEGER;
  const pool = last - fromSeq < SHORT_ROWS ? "short" : "whole";
  refuseCrowd(pool);
  return judgeChain(orgId, { fromSeq, toSeq: last, pool, ...subscriber });
}

/**
 * Verifies a whole chain. A caller who asks while that chain is being read gets its verdict, which says through which
 * sequence it reaches; the last one who goes away ends it.
 * @throws AppError rate_limited when too many chains wait to be read
 */
export async function verifyWhole(orgId: string, subscriber: Subscriber = {}): Promise<Judged> {
  if (!runs.has(orgId)) refuseCrowd("whole");
  const run = runs.get(orgId) ?? start(orgId);
  const aborted = rejectOnAbort(subscriber.signal);
  run.subscribers.add(subscriber);
  try {
    return await Promise.race([run.found, aborted.promise]);
  } finally {
    aborted.stop();
    run.subscribers.delete(subscriber);
    if (run.subscribers.size === 0 && runs.get(orgId) === run) {
      runs.delete(orgId);
      run.abort.abort();
    }
  }
}
