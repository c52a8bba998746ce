import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { dataStreams } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { ownedResource, resourceOf } from "@/server/audit/resource-of";
import { systemCtx } from "@/server/ground/context";
import { idFrom } from "@/server/ground/ids";
import type { JobKind } from "@/server/ground/jobs";
import { DAY_MS } from "@/server/ground/time/durations";

/** Acknowledged batches are kept this long; the daily audit entries stay. */
const BATCH_DAYS = 30;
/** A stream that failed for this long is disabled. */
const GIVE_UP_DAYS = 30;

type Delivered = {
  streamId: string;
  name: string;
  orgId: string;
  batches: number;
  rows: number;
  filtered: number;
  first: number;
  last: number;
  digest: string;
  receipt: unknown;
};

/** Acknowledged entries by organization on a day in UTC, replays separate. */
const deliveredOn = (day: Date): Promise<Delivered[]> =>
  asSystem((tx) =>
    rowsOf<Delivered>(
      tx,
      sql`SELECT s.id AS "streamId", s.name, b.org_id AS "orgId", count(*)::int AS batches,
          sum(b.rows)::float8 AS rows, sum(b.filtered)::float8 AS filtered,
          min(b.first_seq)::float8 AS first, max(b.last_seq)::float8 AS last,
          (array_agg(b.digest ORDER BY b.number DESC))[1] AS digest,
          (array_agg(b.receipt ORDER BY b.number DESC))[1] AS receipt
        FROM stream_batches b JOIN data_streams s ON s.id = b.stream_id
        WHERE b.replay_id = '00000000-0000-0000-0000-000000000000'
          AND b.acknowledged_at >= ${day.toISOString()}::timestamptz
          AND b.acknowledged_at < ${new Date(day.getTime() + DAY_MS).toISOString()}::timestamptz
        GROUP BY s.id, b.org_id`,
    ),
  );

/** Records the receivers' acknowledgements of a day; the last batch's digest covers all earlier ones. */
export async function recordDelivered(day: Date): Promise<void> {
  const date = day.toISOString().slice(0, 10);
  for (const { streamId: id, name, orgId, receipt, ...figures } of await deliveredOn(day))
    record(systemCtx(), {
      ...resourceOf("stream", { id, name }),
      id: idFrom("stream.delivered", id, orgId, date),
      timestamp: new Date(day.getTime() + DAY_MS),
      orgId,
      action: "stream.delivered",
      details: { date, ...figures, lastReceipt: receipt },
    });
}

/** Disables streams that have failed for a month. */
async function giveUp(): Promise<void> {
  const ended = await asSystem(async (tx) => {
    const rows = await tx
      .update(dataStreams)
      .set({ state: "disabled", stateSince: new Date() })
      .where(sql`state IN ('failing', 'blocked') AND state_since < now() - make_interval(days => ${GIVE_UP_DAYS}::int)`)
      .returning();
    return Promise.all(rows.map(async (row) => ({ about: await ownedResource(tx, "stream", row), row })));
  });
  for (const { about, row } of ended)
    record(systemCtx(), {
      ...about,
      action: "stream.disable",
      details: { code: row.stateCode, reason: `nothing could be delivered for ${GIVE_UP_DAYS} days` },
    });
}

/** Batches of archives stay, because objects are found by them. */
const removeOldBatches = (): Promise<unknown> =>
  asSystem((tx) =>
    tx.execute(sql`
      DELETE FROM stream_batches b USING data_streams s
      WHERE s.id = b.stream_id AND s.kind <> 's3'
        AND b.acknowledged_at < now() - make_interval(days => ${BATCH_DAYS}::int)`),
  );

/** Runs after each day in UTC. */
export const streamDayJob: JobKind<object> = {
  name: "stream-day",
  cron: "10 0 * * *",
  catchesUp: true,
  atOnce: 1,
  maxAttempts: 8,
  async run() {
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    await recordDelivered(new Date(today - DAY_MS));
    await giveUp();
    await removeOldBatches();
  },
};
