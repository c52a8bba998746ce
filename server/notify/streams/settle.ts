import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { dataStreams, streamBatches, streamGaps, streamPositions } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { ownedResource } from "@/server/audit/resource-of";
import { systemCtx } from "@/server/ground/context";
import type { Ready } from "./batch";
import type { Failure, Outcome } from "./destinations/destination";
import { atPosition, type Work } from "./positions";

const SECOND_MS = 1_000;
const MAX_PAUSE_MS = 300 * SECOND_MS;
const MAX_MESSAGE = 1_000;
/** Upper limit for entries in any destination's batch. */
const MAX_ROWS = 100_000;

/** ready: null for a heartbeat, which is not a batch. */
type Settled = { work: Work; ready: Ready | null; now: Date };
type SettledBatch = Settled & { ready: Ready };

/**
 * Pause after failed attempts: 1, 2, 4 … 300 seconds, of which a random part is used.
 * @param random 0 to 1
 */
export const pauseAfter = (attempts: number, random = Math.random()): number =>
  Math.min(2 ** (attempts - 1) * SECOND_MS, MAX_PAUSE_MS) * (0.5 + random / 2);

const shortened = (message: string): string => message.slice(0, MAX_MESSAGE);

/** The batch, if still open: settings unchanged, and not settled by another worker. */
const stillOpen = ({ row }: Ready) => and(eq(streamBatches.id, row.id), isNull(streamBatches.acknowledgedAt));

async function noteFailure(tx: Tx, { ready }: Settled, { code, message }: Failure): Promise<void> {
  if (ready)
    await tx
      .update(streamBatches)
      .set({ code, error: shortened(message) })
      .where(stillOpen(ready));
}

/** The receiver has the batch except refused rows: advances the position. */
async function acknowledge(tx: Tx, { work, ready, now }: SettledBatch, outcome: Outcome): Promise<boolean> {
  const { key, position } = work;
  const { row } = ready;
  const receipt = outcome.kind === "acknowledged" ? outcome.receipt : null;
  const kept = await tx
    .update(streamBatches)
    .set({ acknowledgedAt: now, receipt, code: null, error: null })
    .where(stillOpen(ready))
    .returning({ id: streamBatches.id });
  if (kept.length === 0) return false;
  const refused = outcome.kind === "refused" ? outcome.rows : [];
  if (refused.length > 0)
    await tx.insert(streamGaps).values(
      refused.map(({ seq, message }) => ({
        ...{ streamId: key.streamId, orgId: key.orgId, firstSeq: seq, lastSeq: seq },
        ...{ reason: "refused" as const, message: shortened(message) },
      })),
    );
  const isOver = position.untilSeq !== null && row.lastSeq >= position.untilSeq;
  if (isOver) await tx.delete(streamPositions).where(atPosition(key));
  else
    await tx
      .update(streamPositions)
      .set({
        ...{ throughSeq: row.lastSeq, scannedSeq: row.lastSeq, batchNumber: row.number, digest: row.digest },
        ...{ attempts: 0, nextAttemptAt: null, acknowledgedAt: now },
        maxRows: position.maxRows && Math.min(position.maxRows * 2, MAX_ROWS),
      })
      .where(atPosition(key));
  if (work.stream.state === "failing") await recover(tx, work.stream.id, now);
  return true;
}

const recover = (tx: Tx, streamId: string, now: Date): Promise<unknown> =>
  tx
    .update(dataStreams)
    .set({ state: "active", stateSince: now, stateCode: null, stateMessage: null })
    .where(
      and(
        eq(dataStreams.id, streamId),
        eq(dataStreams.state, "failing"),
        sql`NOT EXISTS (SELECT FROM ${streamPositions} WHERE ${streamPositions.streamId} = ${dataStreams.id} AND ${streamPositions.attempts} > 0)`,
      ),
    );

async function tryAgain(tx: Tx, settled: Settled, failure: Failure) {
  const { work, now } = settled;
  const { code, message, retryAfterMs } = failure;
  const attempts = work.position.attempts + 1;
  await noteFailure(tx, settled, failure);
  await tx
    .update(streamPositions)
    .set({ attempts, nextAttemptAt: new Date(now.getTime() + (retryAfterMs ?? pauseAfter(attempts))) })
    .where(atPosition(work.key));
  await tx
    .update(dataStreams)
    .set({
      state: "failing",
      stateSince: sql`CASE WHEN ${dataStreams.state} = 'failing' THEN ${dataStreams.stateSince} ELSE ${now.toISOString()}::timestamptz END`,
      ...{ stateCode: code, stateMessage: shortened(message) },
    })
    .where(and(eq(dataStreams.id, work.stream.id), inArray(dataStreams.state, ["active", "failing"])));
}

/** Stops the stream until a person acts, and records it once per stop. */
async function end(tx: Tx, settled: Settled, failure: Failure) {
  const { work, now } = settled;
  const { kind, code, message } = failure;
  const state = kind === "disabled" ? kind : "blocked";
  await noteFailure(tx, settled, failure);
  const [row] = await tx
    .update(dataStreams)
    .set({ state, stateSince: now, stateCode: code, stateMessage: shortened(message) })
    .where(and(eq(dataStreams.id, work.stream.id), inArray(dataStreams.state, ["active", "failing"])))
    .returning();
  return row ? ownedResource(tx, "stream", row) : null;
}

const TOO_LARGE = "413";

/**
 * Replaces the batch with a smaller one. A single entry that is too large is set aside; any other refusal needs a
 * person.
 */
async function halve(tx: Tx, settled: SettledBatch, failure: Failure): Promise<Awaited<ReturnType<typeof end>>> {
  const { work, ready } = settled;
  const { firstSeq, lastSeq } = ready.row;
  if (lastSeq > firstSeq) {
    await tx.delete(streamBatches).where(stillOpen(ready));
    const maxRows = Math.ceil((lastSeq - firstSeq + 1) / 2);
    await tx.update(streamPositions).set({ maxRows }).where(atPosition(work.key));
    return null;
  }
  if (failure.code !== TOO_LARGE) return end(tx, settled, failure);
  await acknowledge(tx, settled, { kind: "refused", rows: [{ seq: lastSeq, message: failure.message }] });
  return null;
}

async function acknowledgeHeartbeat(tx: Tx, { work, now }: Settled): Promise<void> {
  await tx
    .update(streamPositions)
    .set({ heartbeatAt: now, attempts: 0, nextAttemptAt: null })
    .where(atPosition(work.key));
  if (work.stream.state === "failing") await recover(tx, work.stream.id, now);
}

type Ending = NonNullable<Awaited<ReturnType<typeof end>>>;

/** @returns whether the position may continue at once, and the audit event if the stream ended */
async function store(tx: Tx, settled: Settled, outcome: Outcome): Promise<{ isOn: boolean; ending: Ending | null }> {
  const { work, ready } = settled;
  if (outcome.kind === "again") {
    await tryAgain(tx, settled, outcome);
    return { isOn: false, ending: null };
  }
  if (outcome.kind === "blocked" || outcome.kind === "disabled")
    return { isOn: false, ending: await end(tx, settled, outcome) };
  if (!ready) {
    await acknowledgeHeartbeat(tx, settled);
    return { isOn: false, ending: null };
  }
  if (outcome.kind === "too_large") {
    const ending = await halve(tx, { ...settled, ready }, outcome);
    return { isOn: ending === null, ending };
  }
  const isKept = await acknowledge(tx, { ...settled, ready }, outcome);
  return { isOn: isKept && work.position.untilSeq !== ready.row.lastSeq, ending: null };
}

/**
 * Stores the outcome of an attempt.
 * @returns whether the position may continue at once
 */
export async function settle(settled: Settled, outcome: Outcome): Promise<boolean> {
  const { isOn, ending } = await asSystem((tx) => store(tx, settled, outcome));
  if (ending && "code" in outcome)
    record(systemCtx(), {
      ...ending,
      action: outcome.kind === "disabled" ? "stream.disable" : "stream.block",
      details: { code: outcome.code, reason: shortened(outcome.message), orgId: settled.work.key.orgId },
    });
  return isOn;
}
