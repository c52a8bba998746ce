import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import type { Place } from "./cursor";
import { conditionsOf, type Question } from "./filters";
import { allOf, newestPlaces } from "./row-query";
import type { Found } from "./search-blocks";

const FIRST_CHUNK = 1_000;
const MAX_CHUNK = 8_000;

/** What a bounded look at the newest rows found; rest is where it stopped, null when nothing was left. */
export type Scan = { keys: Found[]; rest: Place | null };

type ScannedRow = { org_id: string; chain_seq: string; ms: number; hit: boolean; seen: number };

/** The next `size` rows before a place: those that match, and the last one, whose place is where to go on. */
async function scanChunk(
  tx: Tx,
  orgIds: readonly string[],
  question: Question,
  after: Place | undefined,
  size: number,
) {
  const { from, to, ...rest } = question;
  const newest = newestPlaces(
    orgIds,
    { conditions: conditionsOf({ ...(from && { from }), ...(to && { to }) }), after, limit: size },
    sql.raw("a.*"),
  );
  return (await tx.execute(sql`
    SELECT * FROM (
      SELECT a.org_id, a.chain_seq, (extract(epoch FROM a."timestamp") * 1000)::float8 AS ms, (${allOf(conditionsOf(rest))}) IS TRUE AS hit,
        count(*) OVER ()::int AS seen, row_number() OVER (ORDER BY a."timestamp", a.chain_seq, a.org_id) AS place
      FROM (${newest}) a) scanned
    WHERE hit OR place = 1 ORDER BY place DESC`)) as unknown as ScannedRow[];
}

/**
 * Looks at the newest rows one by one until `need` match or the time is up: for terms too short for an index, which most
 * rows hold anyway.
 * @param deadline performance.now() after which no further rows are read
 */
export async function scanKeys(
  tx: Tx,
  { orgIds, question }: { orgIds: readonly string[]; question: Question },
  { after, need, deadline }: { after: Place | undefined; need: number; deadline: number },
): Promise<Scan> {
  const keys: Found[] = [];
  if (orgIds.length === 0) return { keys, rest: null };
  let place = after;
  for (let size = FIRST_CHUNK; ; size = Math.min(size * 2, MAX_CHUNK)) {
    const rows = await scanChunk(tx, orgIds, question, place, size);
    const last = rows.at(-1);
    for (const row of rows) if (row.hit) keys.push({ orgId: row.org_id, seq: row.chain_seq, ms: row.ms });
    if (!last || last.seen < size) return { keys, rest: null };
    place = { ms: last.ms, seq: last.chain_seq, orgId: last.org_id };
    if (keys.length >= need || performance.now() > deadline) return { keys, rest: place };
  }
}
