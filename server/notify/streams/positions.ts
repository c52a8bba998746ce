import { and, eq, getTableColumns, inArray, isNull, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { dataStreams, organizations, streamBatches, streamPositions } from "@/db/schema";
import { readHeads } from "@/server/audit/tail/watch";
import { ZERO_UUID } from "@/server/ground/context";
import { enqueue } from "@/server/ground/jobs";
import type { StreamRow } from "./stream";

/** Position of a stream in one chain; replayId is zeros for the live one. */
export type PositionKey = { streamId: string; orgId: string; replayId: string };
type PositionRow = typeof streamPositions.$inferSelect;
export type BatchRow = typeof streamBatches.$inferSelect;

/** Inputs of a position's next batch; open: the batch whose limits are stored. */
export type Work = {
  key: PositionKey;
  stream: StreamRow;
  position: PositionRow;
  organization: { id: string; name: string; slug: string };
  head: { seq: number; prunedThrough: number };
  open: BatchRow | null;
};

/** Job that sends the entries after a position. */
export const STREAM = { name: "stream", maxAttempts: 1 };

/** An idle receiver gets a heartbeat after this time. */
const SILENT_MS = 15 * 60_000;

/** True if a receiver of the live position has been idle for a while. */
export const isSilent = ({ position, key }: Pick<Work, "position" | "key">, now = Date.now()): boolean => {
  const { acknowledgedAt, heartbeatAt, createdAt } = position;
  const heard = Math.max(...[acknowledgedAt, heartbeatAt, createdAt].map((at) => at?.getTime() ?? 0));
  return key.replayId === ZERO_UUID && heard < now - SILENT_MS;
};

/** A worker silent for this long is considered dead; its job is freed sooner. */
const BUSY_MS = 60_000;

export const atPosition = ({ streamId, orgId, replayId }: PositionKey) =>
  and(eq(streamPositions.streamId, streamId), eq(streamPositions.orgId, orgId), eq(streamPositions.replayId, replayId));

/** Positions with something to send: new entries, a due attempt, or a heartbeat. */
const DUE = sql`
  SELECT p.stream_id AS "streamId", p.org_id AS "orgId", p.replay_id AS "replayId"
  FROM stream_positions p
  JOIN data_streams s ON s.id = p.stream_id AND s.state IN ('active', 'failing')
  JOIN audit_chain_heads_of(ARRAY(SELECT DISTINCT q.org_id FROM stream_positions q)) h ON h.org_id = p.org_id
  WHERE (
      h.seq > p.scanned_seq AND (p.until_seq IS NULL OR p.scanned_seq < p.until_seq)
      OR p.replay_id = ${ZERO_UUID} AND greatest(p.acknowledged_at, p.heartbeat_at, p.created_at)
        < now() - make_interval(secs => ${SILENT_MS / 1_000}))
    AND (p.busy_until IS NULL OR p.busy_until < now())
    AND (p.next_attempt_at IS NULL OR p.next_attempt_at <= now())
  ORDER BY p.replay_id <> ${ZERO_UUID}, h.seq - p.scanned_seq`;

/** A partner's streams carry a new chain from its first entry. */
const ADD_NEW_CHAINS = sql`
  INSERT INTO stream_positions (stream_id, org_id, through_seq, scanned_seq)
  SELECT s.id, o.id, 0, 0
  FROM data_streams s
  JOIN organizations o ON o.partner_id = s.partner_id
  WHERE s.org_id IS NULL
    AND NOT EXISTS (SELECT FROM stream_positions p WHERE p.stream_id = s.id AND p.org_id = o.id)
  ON CONFLICT DO NOTHING`;

/** Queues every position with something to send for the workers of all processes. */
export const wakeStreams = (): Promise<void> =>
  asSystem(async (tx) => {
    await tx.execute(ADD_NEW_CHAINS);
    const due = await rowsOf<PositionKey>(tx, DUE);
    await Promise.all(
      due.map((data) => {
        const key = `${data.streamId}/${data.orgId}/${data.replayId}`;
        return enqueue(tx, STREAM, { data, key, group: data.streamId, inTurn: true });
      }),
    );
  });

/** Starts work on a position; null if there is none, or the stream is not sending. */
export const takeWork = (key: PositionKey): Promise<Work | null> =>
  asSystem(async (tx) => {
    const [row] = await tx
      .select({
        stream: getTableColumns(dataStreams),
        position: getTableColumns(streamPositions),
        organization: { id: organizations.id, name: organizations.name, slug: organizations.slug },
        open: getTableColumns(streamBatches),
        isDue: sql<boolean>`coalesce(${streamPositions.nextAttemptAt} <= now(), true)`,
      })
      .from(streamPositions)
      .innerJoin(dataStreams, eq(dataStreams.id, streamPositions.streamId))
      .innerJoin(organizations, eq(organizations.id, streamPositions.orgId))
      .leftJoin(
        streamBatches,
        and(
          eq(streamBatches.streamId, streamPositions.streamId),
          eq(streamBatches.orgId, streamPositions.orgId),
          eq(streamBatches.replayId, streamPositions.replayId),
          isNull(streamBatches.acknowledgedAt),
        ),
      )
      .where(and(atPosition(key), inArray(dataStreams.state, ["active", "failing"])));
    if (!row?.isDue) return null;
    const [head] = await readHeads(tx, [key.orgId]);
    const { stream, position, organization, open } = row;
    if (!head) return null;
    await tx
      .update(streamPositions)
      .set({ busyUntil: new Date(Date.now() + BUSY_MS) })
      .where(atPosition(key));
    return { key, stream, position, organization, head, open };
  });

/** Ends work on a position, so that new entries wake it again. */
export const leaveWork = (key: PositionKey): Promise<unknown> =>
  asSystem((tx) => tx.update(streamPositions).set({ busyUntil: null }).where(atPosition(key)));

/** Drops open batches, to be rebuilt under changed settings. */
export async function dropOpenBatches(tx: Tx, streamId: string): Promise<void> {
  await tx.delete(streamBatches).where(and(eq(streamBatches.streamId, streamId), isNull(streamBatches.acknowledgedAt)));
  await tx
    .update(streamPositions)
    .set({ nextAttemptAt: null, attempts: 0, maxRows: null })
    .where(eq(streamPositions.streamId, streamId));
}
