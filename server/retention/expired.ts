import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { firstCheckpointCovering, newestCheckpoint } from "@/server/evidence/checkpoints/note-store";
import { DAY_MS } from "@/server/ground/time/durations";
import { type Hold, readHolds } from "./hold";

/** Start of a chain in which every row is past the window; lastSeq < firstSeq if there is none. */
export type Expired = {
  cutoff: Date;
  firstSeq: number;
  lastSeq: number;
  /** First row to stay while rows after it are past the window too, and when it will be past it. */
  heldBy: { seq: number; timestamp: Date; until: Date } | null;
};

type Position = { seq: number; at: Date };
type PositionRow = { seq: string; ms: string };
const MS = sql`(extract(epoch FROM "timestamp") * 1000)::bigint`;
const POSITION = sql`chain_seq AS seq, ${MS} AS ms`;

/**
 * The window. Timestamps come from clients, and one in the future would keep a row indefinitely, so rows also age from
 * the first checkpoint that covered them. Not from `sealed_at`, which no checksum covers.
 */
type Window = { cutoff: Date; signedThrough: number };
const isInside = ({ cutoff, signedThrough }: Window): SQL =>
  sql`"timestamp" >= ${cutoff.toISOString()}::timestamptz AND chain_seq > ${signedThrough}`;
/** Reading a row of the chain costs about as much as this many time index entries. */
const HEAP_COST = 3;
/** Newest expired rows checked for a row inside the window, which holds them back. */
const HELD_PROBE_ROWS = 100;

const toPosition = (row: PositionRow | undefined): Position | null =>
  row ? { seq: Number(row.seq), at: new Date(Number(row.ms)) } : null;

/** Oldest row inside the window by time. */
async function oldestInside(tx: Tx, orgId: string, window: Window): Promise<Position | null> {
  const rows = await rowsOf<PositionRow>(
    tx,
    sql`SELECT ${POSITION} FROM audit_logs
      WHERE org_id = ${orgId} AND ${isInside(window)}
      ORDER BY "timestamp", chain_seq LIMIT 1`,
  );
  return toPosition(rows[0]);
}

/**
 * First row inside the window in chain order. Late timestamps make chain and time order differ; reads the smaller side
 * of the boundary by index: expired rows in chain order, or the others in time order.
 */
async function firstInside(tx: Tx, orgId: string, bounds: Window & { through: number; head: number }) {
  const { through, head } = bounds;
  const oldest = await oldestInside(tx, orgId, bounds);
  if (!oldest) return null;
  const byChain = (oldest.seq - through) * HEAP_COST < head - oldest.seq;
  const seq = byChain
    ? sql`SELECT chain_seq FROM audit_logs WHERE org_id = ${orgId} AND chain_seq > ${through} AND chain_seq <= ${oldest.seq}
        AND ${isInside(bounds)} ORDER BY chain_seq LIMIT 1`
    : // "+ 0" prevents the planner from walking the chain for the minimum.
      sql`SELECT min(chain_seq + 0) FROM audit_logs WHERE org_id = ${orgId} AND ${isInside(bounds)}
        AND chain_seq <= ${oldest.seq}`;
  const rows = await rowsOf<PositionRow>(
    tx,
    sql`SELECT ${POSITION} FROM audit_logs WHERE org_id = ${orgId} AND chain_seq = (${seq})`,
  );
  return toPosition(rows[0]) ?? oldest;
}

async function holdsBack(tx: Tx, orgId: string, { cutoff, first }: { cutoff: Date; first: Position }) {
  const [row] = await rowsOf<{ held: boolean | null }>(
    tx,
    sql`SELECT bool_or(chain_seq > ${first.seq}) AS held FROM (
      SELECT chain_seq FROM audit_logs WHERE org_id = ${orgId} AND "timestamp" < ${cutoff.toISOString()}::timestamptz
      ORDER BY "timestamp" DESC, chain_seq DESC LIMIT ${HELD_PROBE_ROWS}) newest`,
  );
  return row?.held ?? false;
}

/** When a row inside the window will be past it; a row without a checkpoint is covered now at the earliest. */
async function insideUntil(tx: Tx, orgId: string, { first, now, days }: { first: Position; now: Date; days: number }) {
  const covering = await firstCheckpointCovering(tx, orgId, first.seq);
  const signed = covering ? Date.parse(covering.signedAt) : now.getTime();
  return new Date(Math.min(first.at.getTime(), signed) + days * DAY_MS);
}

/** Last sequence released by a hold: entries that the stream has, and those that waited the maximum. */
async function releasedBy(tx: Tx, orgId: string, { hold, days }: { hold: Hold; days: number }): Promise<number> {
  if (hold.days === null) return hold.through;
  const overdue = await pastWindow(tx, orgId, days + hold.days);
  return Math.max(hold.through, overdue?.lastSeq ?? 0);
}

/**
 * Rows that retention would remove from a chain: the longest start of rows older than the window, by timestamp or
 * checkpoint, limited to what the awaited streams have.
 * @returns null for a chain without rows
 */
export async function findExpired(tx: Tx, orgId: string, retentionDays: number): Promise<Expired | null> {
  const expired = await pastWindow(tx, orgId, retentionDays);
  if (!expired || expired.lastSeq < expired.firstSeq) return expired;
  let { lastSeq } = expired;
  for (const hold of await readHolds(tx, orgId))
    lastSeq = Math.min(lastSeq, await releasedBy(tx, orgId, { hold, days: retentionDays }));
  return { ...expired, lastSeq: Math.max(lastSeq, expired.firstSeq - 1) };
}

/** Entries past the window. Cost follows the smaller side of the boundary, never a table scan. */
async function pastWindow(tx: Tx, orgId: string, retentionDays: number): Promise<Expired | null> {
  const [chain] = await rowsOf<{ head: string; through: string; cutoff: string }>(
    tx,
    sql`SELECT h.seq AS head, h.pruned_through_seq AS through,
      (extract(epoch FROM now() - make_interval(hours => 24 * ${retentionDays}::int)) * 1000)::bigint AS cutoff
      FROM audit_chain_head(${orgId}::uuid) h`,
  );
  if (!chain) return null;
  const { head, through } = { head: Number(chain.head), through: Number(chain.through) };
  const cutoff = new Date(Number(chain.cutoff));
  if (head <= through) return null;
  const signedThrough = (await newestCheckpoint(tx, orgId, cutoff))?.size ?? 0;
  const first = await firstInside(tx, orgId, { cutoff, signedThrough, through, head });
  const isHeld = first !== null && (await holdsBack(tx, orgId, { cutoff, first }));
  const now = new Date(cutoff.getTime() + retentionDays * DAY_MS);
  const heldBy = isHeld
    ? { seq: first.seq, timestamp: first.at, until: await insideUntil(tx, orgId, { first, now, days: retentionDays }) }
    : null;
  return { cutoff, firstSeq: through + 1, lastSeq: first ? first.seq - 1 : head, heldBy };
}

/** Timestamp of a row by its sequence. */
export async function timeOf(tx: Tx, orgId: string, seq: number): Promise<Date | null> {
  const [row] = await rowsOf<{ ms: string }>(
    tx,
    sql`SELECT ${MS} AS ms FROM audit_logs WHERE org_id = ${orgId} AND chain_seq = ${seq}`,
  );
  return row ? new Date(Number(row.ms)) : null;
}
