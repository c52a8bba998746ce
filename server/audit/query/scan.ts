import { sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { conditionsOf, type RowFilter } from "./conditions";
import type { Deadline } from "./deadline";
import { allOf, type Cursor, type Found, olderThan } from "./rows";

const FIRST_CHUNK = 1_000;
const MAX_CHUNK = 8_000;
/** Organizations write at different rates, so each may contribute several times its even share of a chunk. */
const SHARE = 3;

/** Result of a bounded scan of the newest rows; rest is where it stopped, null at the end. */
export type Scan = { keys: Found[]; rest: Cursor | null };

type ScannedRow = { org_id: string; chain_seq: string; ms: number; hit: boolean; done: boolean };

/**
 * Next `size` rows or slightly fewer: the matches, and the last row, where the next chunk starts. Each organization
 * contributes a share; rows older than the youngest end of a share wait for the next chunk, because the newest `size`
 * of all would read `size` of each.
 */
async function scanChunk(
  tx: Tx,
  { orgIds, filter }: { orgIds: readonly string[]; filter: RowFilter },
  { after, size }: { after: Cursor | undefined; size: number },
) {
  const { from, to, ...rest } = filter;
  const span = conditionsOf({ ...(from && { from }), ...(to && { to }) });
  const where = allOf(after ? [...span, olderThan(after)] : span);
  const share = Math.ceil((size * (orgIds.length === 1 ? 1 : SHARE)) / orgIds.length);
  return rowsOf<ScannedRow>(
    tx,
    sql`
    WITH newest AS MATERIALIZED (
      SELECT n.*, row_number() OVER (PARTITION BY n.org_id ORDER BY n."timestamp" DESC, n.chain_seq DESC) AS turn FROM ${layout().eachOf(orgIds)}, LATERAL (
        SELECT a.* FROM audit_logs a WHERE a.org_id = o.id AND ${where} ORDER BY a."timestamp" DESC, a.chain_seq DESC LIMIT ${share}) n),
    final AS (SELECT "timestamp", chain_seq, org_id FROM newest WHERE turn = ${share} ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT 1)
    SELECT * FROM (
      SELECT a.org_id, a.chain_seq, (extract(epoch FROM a."timestamp") * 1000)::float8 AS ms, (${allOf(conditionsOf(rest))}) IS TRUE AS hit,
        f.org_id IS NULL AS done, row_number() OVER (ORDER BY a."timestamp", a.chain_seq, a.org_id) AS age
      FROM newest a LEFT JOIN final f ON true
      WHERE f.org_id IS NULL OR (a."timestamp", a.chain_seq, a.org_id) >= (f."timestamp", f.chain_seq, f.org_id)) scanned
    WHERE hit OR age = 1 ORDER BY age DESC`,
  );
}

/**
 * Reads the newest rows one by one until `need` match or the deadline passes: for terms too short for the index, which
 * most rows contain.
 * @param deadline after which no further rows are read
 */
export async function scanKeys(
  tx: Tx,
  { orgIds, filter }: { orgIds: readonly string[]; filter: RowFilter },
  { after, need, deadline }: { after: Cursor | undefined; need: number; deadline: Deadline },
): Promise<Scan> {
  const keys: Found[] = [];
  if (orgIds.length === 0) return { keys, rest: null };
  let cursor = after;
  for (let size = FIRST_CHUNK; ; ) {
    const before = deadline.leftMs();
    const rows = await scanChunk(tx, { orgIds, filter }, { after: cursor, size });
    const last = rows.at(-1);
    for (const row of rows) if (row.hit) keys.push({ orgId: row.org_id, seq: row.chain_seq, ms: row.ms });
    if (!last || last.done) return { keys, rest: null };
    cursor = { ms: last.ms, seq: last.chain_seq, orgId: last.org_id };
    const left = deadline.leftMs();
    if (keys.length >= need || left <= 0) return { keys, rest: cursor };
    // Reads no more than fits into the time left.
    const inTime = Math.ceil((size * left) / (before - left));
    size = Math.min(size * 2, MAX_CHUNK, Math.max(FIRST_CHUNK, inTime));
  }
}
