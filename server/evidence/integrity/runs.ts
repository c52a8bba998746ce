import { hasFreeReader, type ReaderPool, waitingReaders } from "@/server/evidence/chain/chain-stream";
import { tooMany } from "@/server/ground/errors";
import { type InSnapshot, type Judged, judgeChain } from "./judge";

/** Verifications per caller, running or waiting in one process. */
export const VERIFY_SLOTS = { kind: "verifications", max: 8, advice: "Wait until one of them has ended." };
/** Chains that may wait in one process; nightly readings may exceed it. */
const MAX_WAITING = 32;
const RETRY_AFTER_SECONDS = 30;

/** A longer part queues with the whole chains, so that short ones do not wait for it. */
const SHORT_ROWS = 50_000;

/** One reading of a whole chain and its subscribers. */
type Run = { found: Promise<Judged>; subscribers: Set<Subscriber>; abort: AbortController };
/** A subscriber of a reading: progress callback, abort signal, and work in the final snapshot. */
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
    // Later callers would not see this snapshot.
    end();
    for (const subscriber of subscribers) await subscriber.inSnapshot?.(judged, reader);
  };
  const found = judgeChain(orgId, { onProgress, signal: abort.signal, inSnapshot });
  const run: Run = { found, subscribers, abort };
  run.found.then(end, end);
  runs.set(orgId, run);
  return run;
}

/** Never resolves; rejects when the subscriber leaves. */
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

/** The running verification of this whole chain, if any. */
export const runningVerification = (orgId: string): Promise<Judged> | null => runs.get(orgId)?.found ?? null;

/** @throws AppError rate_limited when too many chains wait for such a connection */
function refuseCrowd(pool: ReaderPool): void {
  if (hasFreeReader(pool) || waitingReaders(pool) < MAX_WAITING) return;
  const message = `${MAX_WAITING} verifications are waiting already. Try again later.`;
  throw tooMany(message, { limit: MAX_WAITING, seconds: RETRY_AFTER_SECONDS });
}

type Part = { fromSeq?: number | undefined; toSeq?: number | undefined };

/**
 * Verifies a part of a chain by sequence, for one subscriber; an omitted end is the chain's own.
 * @throws AppError rate_limited when too many chains wait to be read
 */
export async function verifyPart(orgId: string, { fromSeq = 1, toSeq }: Part, subscriber: Subscriber): Promise<Judged> {
  const last = toSeq ?? Number.MAX_SAFE_INTEGER;
  const pool = last - fromSeq < SHORT_ROWS ? "short" : "whole";
  refuseCrowd(pool);
  return judgeChain(orgId, { fromSeq, toSeq: last, pool, ...subscriber });
}

/**
 * Verifies a whole chain. Callers during a reading share its verdict, which states its last sequence; when the last one
 * leaves, the reading ends.
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
