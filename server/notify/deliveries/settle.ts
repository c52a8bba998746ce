import { and, eq, isNull, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { oneOf, rowsOf } from "@/db/rows";
import { notificationDeliveries, webhookEndpoints } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { ownedResource } from "@/server/audit/resource-of";
import { counter } from "@/server/ground/background/metrics";
import { systemCtx } from "@/server/ground/context";
import type { JobKind } from "@/server/ground/jobs";
import { HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";
import { type Claimed, claim, stillClaimed } from "./claim";
import { attempt, type Outcome } from "./destination";
import { DELIVERY, queueAttempt } from "./queue";

/** Pauses after failed attempts, as proposed by Standard Webhooks; after three days the message is given up. */
const RETRY_DELAYS_MS = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const JITTER = 0.1;

/** An endpoint without a delivery for this long is disabled. */
const DISABLE_AFTER_MS = 5 * 24 * HOUR_MS;

/**
 * Time of the next attempt after some failures; null to give up.
 * @param random 0 to 1: spreads simultaneous failures
 */
export function nextAttempt(attempts: number, now: Date, random = Math.random()): Date | null {
  const delay = RETRY_DELAYS_MS[attempts - 1];
  return delay === undefined ? null : new Date(now.getTime() + delay * (1 + JITTER * (2 * random - 1)));
}

const GONE = 410;

const sent = counter("trailmark_deliveries_sent_total", "Mails and webhooks that were accepted");
const givenUp = counter("trailmark_deliveries_failed_total", "Mails and webhooks that were given up");

/** isGivenUp: the message is not retried. */
type Failure = { status: number | null; isGivenUp: boolean; now: Date };
/** Audit log target of a disabled endpoint. */
type Disabled = Awaited<ReturnType<typeof ownedResource>>;

type Endpoint = NonNullable<Claimed["endpoint"]>;

/** The endpoint if its address is still the same: answers of a former address say nothing about the current one. */
const sameAddress = ({ id, url }: Endpoint) => and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.url, url));

/**
 * Records a failure, and disables an endpoint that wants no more messages or received none for days. The failure may
 * have started with an earlier message without any attempt since, so this message gets all of its attempts first.
 */
async function noteFailure(tx: Tx, endpoint: Endpoint, { status, isGivenUp, now }: Failure): Promise<Disabled | null> {
  const t = webhookEndpoints;
  const at = now.toISOString();
  const [row] = await tx
    .update(t)
    .set({ failingSince: sql`coalesce(${t.failingSince}, ${at}::timestamptz)` })
    .where(and(sameAddress(endpoint), isNull(t.disabledAt)))
    .returning();
  if (!row?.failingSince) return null;
  const isOverdue = isGivenUp && now.getTime() - row.failingSince.getTime() >= DISABLE_AFTER_MS;
  if (status !== GONE && !isOverdue) return null;
  await tx.update(t).set({ disabledAt: now, disabledByFailure: true, pendingFrom: null }).where(eq(t.id, row.id));
  return ownedResource(tx, "webhook", row);
}

type Attempted = { claimed: Claimed; outcome: Outcome; now: Date };
/** isLate: the message was delivered, taken over or sent again in the meantime, so this failure is ignored. */
type Stored = { isLate: true } | { isLate: false; isGivenUp: boolean; disabled: Disabled | null };

async function storeSuccess(tx: Tx, { claimed: { id, endpoint }, outcome, now }: Attempted): Promise<Stored> {
  await tx
    .update(notificationDeliveries)
    .set({ responseCode: outcome.status, error: null, status: "delivered", deliveredAt: now, nextAttemptAt: null })
    .where(eq(notificationDeliveries.id, id));
  if (endpoint) await tx.update(webhookEndpoints).set({ failingSince: null }).where(sameAddress(endpoint));
  return { isLate: false, isGivenUp: false, disabled: null };
}

async function storeFailure(tx: Tx, { claimed, outcome, now }: Attempted): Promise<Stored> {
  const { attempts, endpoint } = claimed;
  const { status: responseCode, error, isFinal } = outcome;
  const again = isFinal ? null : nextAttempt(attempts, now);
  const isGivenUp = again === null;
  const kept = await tx
    .update(notificationDeliveries)
    .set({ responseCode, error, status: isGivenUp ? "failed" : "pending", nextAttemptAt: again })
    .where(stillClaimed(claimed))
    .returning();
  const [row] = kept;
  if (!row) return { isLate: true };
  if (again) await queueAttempt(tx, row, again);
  if (!endpoint || endpoint.isDisabled) return { isLate: false, isGivenUp, disabled: null };
  const disabled = await noteFailure(tx, endpoint, { status: responseCode, isGivenUp, now });
  return { isLate: false, isGivenUp, disabled };
}

async function timeOf(tx: Tx): Promise<Date> {
  const time = await rowsOf<{ ms: number }>(tx, sql`SELECT (extract(epoch FROM now()) * 1000)::float8 AS ms`);
  return new Date(oneOf(time).ms);
}

/**
 * Stores the result of an attempt and the next one's time. A delivery always counts; a failure only while the message
 * still waits for this attempt.
 */
export async function settle(claimed: Claimed, outcome: Outcome): Promise<void> {
  const isDelivered = outcome.error === null;
  const store = isDelivered ? storeSuccess : storeFailure;
  const stored = await asSystem(async (tx) => store(tx, { claimed, outcome, now: await timeOf(tx) }));
  if (isDelivered) sent.inc();
  if (stored.isLate) return;
  if (stored.isGivenUp) givenUp.inc();
  if (!stored.disabled) return;
  record(systemCtx(), {
    ...stored.disabled,
    action: "webhook.disable",
    details: {
      reason: outcome.status === GONE ? "it answered 410 Gone" : "nothing could be delivered to it for 5 days",
    },
  });
}

/**
 * Sends a message. Unresponsive endpoints occupy a slot for ten seconds each, so one owner must not take all. An
 * attempt whose process died is repeated; receivers recognize the id.
 * @param answerMs how long an endpoint may take to answer, if not the default
 */
export const deliveryJob = (answerMs?: number): JobKind<{ id: string }> => ({
  ...DELIVERY,
  atOnce: 8,
  atOncePerGroup: 3,
  async run({ id }) {
    const claimed = await claim(id);
    if (claimed) await settle(claimed, await attempt(claimed, new Date(), answerMs));
  },
});
