import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { dataStreams } from "@/db/schema";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { counter } from "@/server/ground/background/metrics";
import type { JobKind } from "@/server/ground/jobs";
import { DAY_MS } from "@/server/ground/time/durations";
import { secretsOf } from "@/server/notify/secrets";
import { heartbeatOf, nextBatch, type Ready } from "./batch";
import { DESTINATIONS } from "./destinations";
import type { Batch, Outcome } from "./destinations/destination";
import { isSilent, leaveWork, type PositionKey, STREAM, takeWork, type Work, wakeStreams } from "./positions";
import type { CheckStep } from "./schema";
import { settle } from "./settle";
import type { StreamRow } from "./stream";

const WAKE_MS = 1_000;
/** Time after which a position yields to waiting ones. */
const TURN_MS = 10_000;

/** Input for a destination besides the batch; or the reason that a person must act first. */
export function targetOf(stream: StreamRow, { now, signal }: { now: Date; signal: AbortSignal }) {
  const config = DESTINATIONS[stream.kind].config.safeParse(stream.config);
  if (!config.success) {
    const [issue] = config.error.issues;
    return { fault: { code: "refused_settings", message: `${issue?.path.join(".")}: ${issue?.message}` } };
  }
  try {
    return { target: { config: config.data, secrets: secretsOf("streams", stream, now), now, signal } };
  } catch {
    const message = "The secret cannot be read: NEXTAUTH_SECRET was changed. Rotate the secret.";
    return { fault: { code: "unreadable_secret", message } };
  }
}

const sent = counter("trailmark_stream_sent_total", "Entries that receivers of streams acknowledged");
const batches = counter("trailmark_stream_batches_total", "Attempts of streams by outcome or code", ["code"]);

/** Check steps that may succeed on retry. */
const PASSING = new Set(["connect", "write", "acknowledge"]);

/** Daily check instead of heartbeats. */
async function checkDaily(stream: StreamRow, check: () => Promise<CheckStep[]>): Promise<Outcome> {
  const now = new Date();
  if (stream.checkedAt && now.getTime() - stream.checkedAt.getTime() < DAY_MS)
    return { kind: "acknowledged", receipt: {} };
  const failed = (await check()).find(({ ok }) => !ok);
  await asSystem((tx) => tx.update(dataStreams).set({ checkedAt: now }).where(eq(dataStreams.id, stream.id)));
  if (!failed) return { kind: "acknowledged", receipt: {} };
  return { kind: PASSING.has(failed.step) ? "again" : "blocked", code: failed.step, message: failed.message };
}

async function attempt({ stream }: Work, batch: Batch, signal: AbortSignal): Promise<Outcome> {
  const destination = DESTINATIONS[stream.kind];
  const { target, fault } = targetOf(stream, { now: new Date(), signal });
  if (fault) return { kind: "blocked", ...fault };
  if (destination.silent && batch.marker.type === "trailmark.heartbeat")
    return checkDaily(stream, () => destination.check(target));
  return destination.send(target, batch);
}

/** Next message; a heartbeat if nothing else is due and the receiver has been idle. */
async function nextSending(work: Work): Promise<{ ready: Ready | null; batch: Batch } | null> {
  const ready = await nextBatch(work);
  if (ready) return { ready, batch: ready.batch };
  if (!isSilent(work) || work.position.scannedSeq > work.position.throughSeq) return null;
  const { throughSeq: through, digest } = work.position;
  return { ready: null, batch: await heartbeatOf({ ...work, through, digest }) };
}

/** Sends the next batch of a position. @returns whether there may be more at once */
async function sendNext(key: PositionKey, signal: AbortSignal): Promise<boolean> {
  const work = await takeWork(key);
  const next = work && (await nextSending(work));
  if (!next || signal.aborted) return false;
  const { ready, batch } = next;
  const outcome = await attempt(work, batch, signal);
  batches.inc({ code: outcome.kind === "acknowledged" || !("code" in outcome) ? outcome.kind : outcome.code });
  if (outcome.kind === "acknowledged") sent.inc(batch.marker.rows);
  // Aborted: arrival is unknown, so the same batch is sent again.
  if (signal.aborted && outcome.kind !== "acknowledged") return false;
  return settle({ work, ready, now: new Date() }, outcome);
}

/** Sends the entries after a position, batch by batch. */
export const streamJob: JobKind<PositionKey> = {
  ...STREAM,
  atOnce: 16,
  atOncePerGroup: 4,
  async run(key, { signal }) {
    const end = performance.now() + TURN_MS;
    try {
      while (!signal.aborted && performance.now() < end && (await sendNext(key, signal)));
    } finally {
      await leaveWork(key);
    }
  },
};

/** Wakes positions with something to send. */
export const streamWatch = backgroundLoop("streams", WAKE_MS, wakeStreams);
