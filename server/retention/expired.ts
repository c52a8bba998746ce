import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { firstCheckpointCovering, newestCheckpoint } from "@/server/evidence/checkpoints/note-store";
import { DAY_MS } from "@/server/ground/time/durations";
import { type Hold, readHolds } from "./hold";

/** The beginning of a chain whose every row is past the window; lastSeq < firstSeq when there is none. */
export type Expired = {
  cutoff: Date;
  firstSeq: number;
  lastSeq: number;
  /** The first row that stays, where rows behind it are past the window too, and when it is past the window itself. */
  heldBy: { seq: number; timestamp: Date; until: Date } | null;
};

type Position = { seq: number; at: Date };
type PositionRow = { seq: string; ms: string };
const MS = sql`(extract(epoch FROM "timestamp") * 1000)::bigint`;
const POSITION = sql`chain_seq AS seq, ${MS} AS ms`;

/**
 * The window. A timestamp is the client's, and one ahead of its time would keep a row indefinitely, so a row ages from the
 * checkpoint that first covered it, too. Not from `sealed_at`: no checksum covers that column.
 */
type Window = { cutoff: Date; signedThrough: number };
const isInside = ({ cutoff, signedThrough }: Window): SQL =>
  sql`"timestamp" >= ${cutoff.toISOString()}::timestamptz AND chain_seq > ${signedThrough}`;
/** Reading a row of the chain costs about this many entries of the time index. */
const HEAP_COST = 3;
/** How many of the newest expired rows are looked at to see whether a row inside the window holds them back. */
const HELD_PROBE_ROWS = 100;

const toPosition = (row: PositionRow | undefined): Position | null =>
  row ? { seq: Number(row.seq), at: new Date(Number(row.ms)) } : null;

/** The row inside the window that is oldest by time: no row before it in the chain is older and inside. */
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
 * The row inside the window that is first in the chain. Times may come late, so chain and time order differ; whichever
 * side of the boundary is smaller is read, by index: the expired rows in chain order, or the others in time order.
 */
async function firstInside(tx: Tx, orgId: string, bounds: Window & { through: number; head: number }) {
  const { through, head } = bounds;
  const oldest = await oldestInside(tx, orgId, bounds);
  if (!oldest) return null;
  const byChain = (oldest.seq - through) * HEAP_COST < head - oldest.seq;
  const seq = byChain
    ? sql`SELECT chain_seq FROM audit_logs WHERE org_id = ${orgId} AND chain_seq > ${through} AND chain_seq <= ${oldest.seq}
        AND ${isInside(bounds)} ORDER BY chain_seq LIMIT 1`
    : // "+ 0" keeps the planner from turning the minimum into a walk along the chain.
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

/** When a row inside the window will be past it; one that no checkpoint covers yet is covered now at the earliest. */
async function insideUntil(tx: Tx, orgId: string, { first, now, days }: { first: Position; now: Date; days: number }) {
  const covering = await firstCheckpointCovering(tx, orgId, first.seq);
  const signed = covering ? Date.parse(covering.signedAt) : now.getTime();
  return new Date(Math.min(first.at.getTime(), signed) + days * DAY_MS);
}

/** Through which sequence a hold lets entries go: what the stream has, and what has waited for as long as it may. */
async function releasedBy(tx: Tx, orgId: string, { hold, days }: { hold: Hold; days: number }): Promise<number> {
  if (hold.days === null) return hold.through;
  const overdue = await pastWindow(tx, orgId, days + hold.days);
  return Math.max(hold.through, overdue?.lastSeq ?? 0);
}

/**
 * What retention would remove of a chain: its longest beginning whose every row is older than the window, by its
 * timestamp or by our checkpoints, as far as the streams that it waits for have it.
 * @returns null where the chain has no row
 */
export async function findExpired(tx: Tx, orgId: string, retentionDays: number): Promise<Expired | null> {
  const expired = await pastWindow(tx, orgId, retentionDays);
  if (!expired || expired.lastSeq < expired.firstSeq) return expired;
  let { lastSeq } = expired;
  for (const hold of await readHolds(tx, orgId))
    lastSeq = Math.min(lastSeq, await releasedBy(tx, orgId, { hold, days: retentionDays }));
  return { ...expired, lastSeq: Math.max(lastSeq, expired.firstSeq - 1) };
}

/** Entries past the window. Cost follows the smaller side of the boundary, never a scan of the table. */
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

/** When a row of a chain happened, by its place. */
export async function timeOf(tx: Tx, orgId: string, seq: number): Promise<Date | null> {
  const [row] = await rowsOf<{ ms: string }>(
    tx,
    sql`SELECT ${MS} AS ms FROM audit_logs WHERE org_id = ${orgId} AND chain_seq = ${seq}`,
  );
  return row ? new Date(Number(row.ms)) : null;
}
