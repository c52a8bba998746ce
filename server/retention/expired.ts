import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** The beginning of a chain whose every row is past the window; lastSeq < firstSeq when there is none. */
export type Expired = {
  cutoff: Date;
  firstSeq: number;
  lastSeq: number;
  /** The first row that stays, where rows behind it are past the window too. */
  heldBy: { seq: number; timestamp: Date } | null;
};

type Position = { seq: number; at: Date };
const MS = sql`(extract(epoch FROM "timestamp") * 1000)::bigint`;
/** Reading a row of the chain costs about this many entries of the time index. */
const HEAP_COST = 3;
/** How many of the newest expired rows are looked at to see whether a row inside the window holds them back. */
const HELD_PROBE_ROWS = 100;

const toPosition = (row: { seq: string; ms: string } | undefined): Position | null =>
  row ? { seq: Number(row.seq), at: new Date(Number(row.ms)) } : null;

/** The row inside the window that is oldest by time: no row before it in the chain is older and inside. */
async function oldestInside(tx: Tx, orgId: string, cutoff: Date): Promise<Position | null> {
  const rows = await rowsOf<{ seq: string; ms: string }>(
    tx,
    sql`SELECT chain_seq AS seq, ${MS} AS ms FROM audit_logs
      WHERE org_id = ${orgId} AND "timestamp" >= ${cutoff.toISOString()}::timestamptz AND chain_seq IS NOT NULL
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
  const at = cutoff.toISOString();
  const byChain = (oldest.seq - through) * HEAP_COST < head - oldest.seq;
  const seq = byChain
    ? sql`SELECT chain_seq FROM audit_logs WHERE org_id = ${orgId} AND chain_seq > ${through} AND chain_seq <= ${oldest.seq}
        AND "timestamp" >= ${at}::timestamptz ORDER BY chain_seq LIMIT 1`
    : // "+ 0" keeps the planner from turning the minimum into a walk along the chain.
      sql`SELECT min(chain_seq + 0) FROM audit_logs WHERE org_id = ${orgId} AND "timestamp" >= ${at}::timestamptz
        AND chain_seq <= ${oldest.seq}`;
  const rows = await rowsOf<{ seq: string; ms: string }>(
    tx,
    sql`SELECT chain_seq AS seq, ${MS} AS ms FROM audit_logs WHERE org_id = ${orgId} AND chain_seq = (${seq})`,
  );
  return toPosition(rows[0]) ?? oldest;
}

async function holdsBack(tx: Tx, orgId: string, cutoff: Date, first: Position): Promise<boolean> {
  const [row] = await rowsOf<{ held: boolean | null }>(
    tx,
    sql`SELECT bool_or(chain_seq > ${first.seq}) AS held FROM (
      SELECT chain_seq FROM audit_logs WHERE org_id = ${orgId} AND "timestamp" < ${cutoff.toISOString()}::timestamptz
      ORDER BY "timestamp" DESC, chain_seq DESC LIMIT ${HELD_PROBE_ROWS}) newest`,
  );
  return row?.held ?? false;
}

/**
 * What retention would remove of a chain: its longest beginning whose every row is older than the window. Cost follows
 * the smaller side of the boundary, never a scan of the table.
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
  const held = first && (await holdsBack(tx, orgId, cutoff, first)) ? { seq: first.seq, timestamp: first.at } : null;
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
