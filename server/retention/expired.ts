import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { DAY_MS } from "@/server/time/durations";

/** The beginning of a chain whose every row is past the window; lastSeq < firstSeq when there is none. */
export type Expired = {
  cutoff: Date;
  firstSeq: number;
  lastSeq: number;
  /** The first row that stays, where rows behind it are past the window too, and when it is past the window itself. */
  heldBy: { seq: number; timestamp: Date; until: Date } | null;
};

type Position = { seq: number; at: Date; agesFrom: Date };
type PositionRow = { seq: string; ms: string; agesFrom: string };
const MS = sql`(extract(epoch FROM "timestamp") * 1000)::bigint`;
/** From when a row ages: a timestamp is the client's, and one ahead of its time would keep the row indefinitely. */
const POSITION = sql`chain_seq AS seq, ${MS} AS ms,
  (extract(epoch FROM least("timestamp", sealed_at)) * 1000)::bigint AS "agesFrom"`;
const isInside = (cutoff: Date): SQL => {
  const at = cutoff.toISOString();
  return sql`"timestamp" >= ${at}::timestamptz AND sealed_at >= ${at}::timestamptz`;
};
/** Reading a row of the chain costs about this many entries of the time index. */
const HEAP_COST = 3;
/** How many of the newest expired rows are looked at to see whether a row inside the window holds them back. */
const HELD_PROBE_ROWS = 100;

const toPosition = (row: PositionRow | undefined): Position | null =>
  row ? { seq: Number(row.seq), at: new Date(Number(row.ms)), agesFrom: new Date(Number(row.agesFrom)) } : null;

/** The row inside the window that is oldest by time: no row before it in the chain is older and inside. */
async function oldestInside(tx: Tx, orgId: string, cutoff: Date): Promise<Position | null> {
  const rows = await rowsOf<PositionRow>(
    tx,
    sql`SELECT ${POSITION} FROM audit_logs
      WHERE org_id = ${orgId} AND ${isInside(cutoff)} AND chain_seq IS NOT NULL
      ORDER BY "timestamp", chain_seq LIMIT 1`,
  );
  return toPosition(rows[0]);
}

/**
 * The row inside the window that is first in the chain. Times may come late, so chain and time order differ; whichever
 * side of the boundary is smaller is read, by index: the expired rows in chain order, or the others in time order.
 */
async function firstInside(tx: Tx, orgId: string, bounds: { cutoff: Date; through: number; head: number }) {
  const { cutoff, through, head } = bounds;
  const oldest = await oldestInside(tx, orgId, cutoff);
  if (!oldest) return null;
  const byChain = (oldest.seq - through) * HEAP_COST < head - oldest.seq;
  const seq = byChain
    ? sql`SELECT chain_seq FROM audit_logs WHERE org_id = ${orgId} AND chain_seq > ${through} AND chain_seq <= ${oldest.seq}
        AND ${isInside(cutoff)} ORDER BY chain_seq LIMIT 1`
    : // "+ 0" keeps the planner from turning the minimum into a walk along the chain.
      sql`SELECT min(chain_seq + 0) FROM audit_logs WHERE org_id = ${orgId} AND ${isInside(cutoff)}
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

/**
 * What retention would remove of a chain: its longest beginning whose every row is older than the window, by its
 * timestamp or by when it was sealed. Cost follows the smaller side of the boundary, never a scan of the table.
 * @returns null where the chain has no row
 */
export async function findExpired(tx: Tx, orgId: string, retentionDays: number): Promise<Expired | null> {
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
  const first = await firstInside(tx, orgId, { cutoff, through, head });
  const held =
    first && (await holdsBack(tx, orgId, { cutoff, first }))
      ? { seq: first.seq, timestamp: first.at, until: new Date(first.agesFrom.getTime() + retentionDays * DAY_MS) }
      : null;
  return { cutoff, firstSeq: through + 1, lastSeq: first ? first.seq - 1 : head, heldBy: held };
}

/** When a row of a chain happened, by its place. */
export async function timeOf(tx: Tx, orgId: string, seq: number): Promise<Date | null> {
  const [row] = await rowsOf<{ ms: string }>(
    tx,
    sql`SELECT ${MS} AS ms FROM audit_logs WHERE org_id = ${orgId} AND chain_seq = ${seq}`,
  );
  return row ? new Date(Number(row.ms)) : null;
}
