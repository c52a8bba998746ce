import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { conditionsOf, isUnfiltered, type RowFilter } from "./conditions";
import { type IndexProbe, isIndexed } from "./index-probe";
import type { ResolvedFilter } from "./resolve";
import { allOf, eachOf, INDEXED_THROUGH, rowsBetween } from "./rows";
import { shapeFor, talliedCounts } from "./search-tallies";
import { isLettersAlone } from "./words";

async function totalOf(tx: Tx, query: SQL): Promise<number> {
  const [row] = await rowsOf<{ total: number }>(tx, query);
  return row?.total ?? 0;
}

const uuids = (orgIds: readonly string[]): SQL => sql`${sql.param([...orgIds])}::uuid[]`;

/** By the tallies, where the range holds any; null where they do not know what is asked for. */
async function countTallied(tx: Tx, orgIds: readonly string[], filter: RowFilter): Promise<number | null> {
  const shape = shapeFor(filter);
  if (!shape) return null;
  const counts = talliedCounts(orgIds, filter, shape);
  if (!counts) return countRead(tx, orgIds, filter);
  return totalOf(tx, sql`SELECT COALESCE(sum(n), 0)::float8 AS total FROM (${counts}) counts`);
}

/** Text that a block's own text tells about exactly; anything else is looked up in the rows. */
const isPlain = (term: string): boolean => /^[\x20-\x7e]+$/.test(term);

/** The call that counts by the blocks' text alone, where a text of plain letters is all that is asked for; else null. */
function textCount(orgIds: readonly string[], { phrase, words = [], orgId: _, ...rest }: RowFilter): SQL | null {
  const texts = [...words.map((word) => word.text), ...(phrase ? [phrase] : [])];
  if (!isUnfiltered(rest) || !texts.every(isPlain) || !words.every(isLettersAlone)) return null;
  if (phrase) return words.length === 0 ? sql`audit_search_count(${uuids(orgIds)}, ${phrase})` : null;
  return sql`audit_search_count_words(${uuids(orgIds)}, ${sql.param(texts)}::text[])`;
}

/** By the blocks that can hold a match: their rows are checked, or, where a text is all that is asked for, it alone. */
async function countIndexed(tx: Tx, orgIds: readonly string[], filter: RowFilter, probe: IndexProbe): Promise<number> {
  const where = allOf(conditionsOf(filter));
  const text = textCount(orgIds, filter);
  return totalOf(
    tx,
    sql`SELECT (${text ?? sql`0`}
      + (SELECT count(*) FROM audit_search_blocks(${uuids(orgIds)}, ${JSON.stringify(probe)}::jsonb, ${text !== null}, NULL) b, LATERAL (
          SELECT * FROM audit_logs l WHERE l.org_id = b.org_id AND l.chain_seq BETWEEN b.first_seq AND b.last_seq OFFSET 0) a WHERE ${where})
      + (SELECT count(*) FROM ${eachOf(orgIds)}, ${INDEXED_THROUGH}, ${rowsBetween(sql`i.through`)} WHERE ${where})
      )::float8 AS total`,
  );
}

/** By reading: along the index by time where there is a range. */
const countRead = (tx: Tx, orgIds: readonly string[], filter: RowFilter): Promise<number> =>
  totalOf(
    tx,
    sql`SELECT count(*)::float8 AS total FROM ${eachOf(orgIds)}
      JOIN audit_logs a ON a.org_id = o.id WHERE ${allOf(conditionsOf(filter))}`,
  );

/**
 * How many rows of some organizations answer a filter, exactly. Without filters the chain knows: its sequence has no
 * gaps, so head minus what was pruned is the count, at any length of history.
 */
export async function countRows(tx: Tx, { orgIds, filter, probe }: ResolvedFilter): Promise<number> {
  if (orgIds.length === 0) return 0;
  if (isUnfiltered(filter))
    return totalOf(
      tx,
      sql`SELECT COALESCE(sum(h.seq - h.pruned_through_seq), 0)::float8 AS total FROM audit_chain_heads_of(${uuids(orgIds)}) h`,
    );
  const tallied = await countTallied(tx, orgIds, filter);
  if (tallied !== null) return tallied;
  return probe && isIndexed(probe) ? countIndexed(tx, orgIds, filter, probe) : countRead(tx, orgIds, filter);
}
