import { and, eq, isNull, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { notificationDeliveries, webhookEndpoints } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { counter } from "@/server/background/metrics";
import { systemCtx } from "@/server/context";
import { aboutEndpoint } from "@/server/webhooks/endpoint";
import type { Outcome } from "./attempt";
import { DISABLE_AFTER_MS, nextAttempt } from "./backoff";
import type { Claimed } from "./claim";

const GONE = 410;

const sent = counter("trailmark_deliveries_sent_total", "Mails and webhooks that were accepted");
const givenUp = counter("trailmark_deliveries_failed_total", "Mails and webhooks that were given up");

/** isGivenUp: the message is not tried again. */
type Failure = { status: number | null; isGivenUp: boolean; now: Date };
/** Where the log mentions an endpoint that was disabled. */
type Disabled = Awaited<ReturnType<typeof aboutEndpoint>>;

/**
 * Notes that an endpoint failed, and disables one that wants no more, or to which nothing could be delivered for days. Since
 * when it fails may be from an earlier message, and nothing was tried since: this one has all of its attempts first.
 */
async function noteFailure(tx: Tx, endpointId: string, { status, isGivenUp, now }: Failure): Promise<Disabled | null> {
  const t = webhookEndpoints;
  const at = now.toISOString();
  const [row] = await tx
    .update(t)
    .set({ failingSince: sql`coalesce(${t.failingSince}, ${at}::timestamptz)` })
    .where(and(eq(t.id, endpointId), isNull(t.disabledAt)))
    .returning();
  if (!row?.failingSince) return null;
  const isOverdue = isGivenUp && now.getTime() - row.failingSince.getTime() >= DISABLE_AFTER_MS;
  if (status !== GONE && !isOverdue) return null;
  await tx.update(t).set({ disabledAt: now, disabledByFailure: true, pendingFrom: null }).where(eq(t.id, endpointId));
  return aboutEndpoint(tx, row);
}

const nextTry = (attempts: number, { isFinal }: Outcome, now: Date): Date | null =>
  isFinal ? null : nextAttempt(attempts, now);

type Attempted = { claimed: Claimed; outcome: Outcome; now: Date };

async function store(tx: Tx, { claimed, outcome, now }: Attempted): Promise<Disabled | null> {
  const { id, attempts, endpoint } = claimed;
  const { status: responseCode, error } = outcome;
  const where = eq(notificationDeliveries.id, id);
  const last = { responseCode, error };
  if (error === null) {
    await tx
      .update(notificationDeliveries)
      .set({ ...last, status: "delivered", deliveredAt: now, nextAttemptAt: null })
      .where(where);
    if (endpoint)
      await tx.update(webhookEndpoints).set({ failingSince: null }).where(eq(webhookEndpoints.id, endpoint.id));
    return null;
  }
  const again = nextTry(attempts, outcome, now);
  await tx
    .update(notificationDeliveries)
    .set({ ...last, status: again ? "pending" : "failed", nextAttemptAt: again })
    .where(where);
  if (!endpoint || endpoint.isDisabled) return null;
  return noteFailure(tx, endpoint.id, { status: responseCode, isGivenUp: again === null, now });
}

/** Writes down what became of an attempt, and when the next one is. */
export async function settle(claimed: Claimed, outcome: Outcome, now: Date): Promise<void> {
  const disabled = await asSystem((tx) => store(tx, { claimed, outcome, now }));
  if (outcome.error === null) sent.inc();
  else if (nextTry(claimed.attempts, outcome, now) === null) givenUp.inc();
  if (!disabled) return;
  record(systemCtx(), {
    ...disabled,
    action: "webhook.disable",
    details: {
      reason: outcome.status === GONE ? "it answered 410 Gone" : "nothing could be delivered to it for 5 days",
    },
  });
}
