import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { conditionsOf, isTallied, isUnfiltered, kindConditions, type Question } from "./filters";
import { allOf, eachOf, INDEXED_THROUGH, rowsBetween } from "./row-query";
import { isIndexed, type Needle } from "./search-needle";

/** The span of a tally (db: audit_search_tally). */
const TALLY_MS = 6 * 3_600_000;

async function totalOf(tx: Tx, query: SQL): Promise<number> {
  const [row] = (await tx.execute(query)) as unknown as { total: number }[];
  return row?.total ?? 0;
}

const uuids = (orgIds: readonly string[]): SQL => sql`${sql.param([...orgIds])}::uuid[]`;
const timestamp = (ms: number): SQL => sql`${new Date(ms).toISOString()}::timestamptz`;

/** A range as the whole tallies in it and the spans, ends included, that cut one. */
function splitRange({ from, to }: Question): { whole: SQL[]; edges: [number, number][] } | null {
  const [low, high] = [from?.getTime(), to?.getTime()];
  const start = low === undefined ? undefined : Math.ceil(low / TALLY_MS) * TALLY_MS;
  const end = high === undefined ? undefined : Math.floor((high + 1) / TALLY_MS) * TALLY_MS;
  if (low !== undefined && high !== undefined && start !== undefined && end !== undefined && start >= end) return null;
  const whole: SQL[] = [];
  const edges: [number, number][] = [];
  if (low !== undefined && start !== undefined) {
    whole.push(sql`a.since >= ${timestamp(start)}`);
    if (low < start) edges.push([low, start - 1]);
  }
  if (high !== undefined && end !== undefined) {
    whole.push(sql`a.since < ${timestamp(end)}`);
    if (end <= high) edges.push([end, high]);
  }
  return { whole, edges };
}

/**
 * By the tallies: whole ones are summed; rows are counted one by one where retention has cut a slice, where the range cuts
 * a tally and where the indexer has not come yet.
 */
async function countTallied(tx: Tx, orgIds: readonly string[], question: Question): Promise<number> {
  const range = splitRange(question);
  if (!range) return countRead(tx, orgIds, question);
  const where = allOf(conditionsOf(question));
  const kinds = allOf([...kindConditions(question), ...range.whole]);
  const edges = range.edges.map(
    ([first, last]) => sql`+ (SELECT count(*) FROM o, LATERAL (
        SELECT * FROM audit_logs l WHERE l.org_id = o.id AND l."timestamp" BETWEEN ${timestamp(first)} AND ${timestamp(last)} OFFSET 0) a
      WHERE a.chain_seq > o.cut AND a.chain_seq <= o.tallied AND ${where})`,
  );
  return totalOf(
    tx,
    sql`WITH h AS MATERIALIZED (
        SELECT h.org_id AS id, h.pruned_through_seq AS pruned, COALESCE((SELECT max(t.last_seq) FROM audit_tallies t
          WHERE t.org_id = h.org_id AND t.first_seq <= h.pruned_through_seq AND t.last_seq > h.pruned_through_seq), h.pruned_through_seq) AS cut
        FROM audit_chain_heads_of(${uuids(orgIds)}) h),
      o AS MATERIALIZED (SELECT h.*, GREATEST(h.cut, COALESCE(s.tallied_through_seq, 0)) AS tallied FROM h LEFT JOIN audit_search_state s ON s.org_id = h.id)
    SELECT (COALESCE((SELECT sum(a.rows) FROM o JOIN audit_tallies a ON a.org_id = o.id AND a.first_seq > o.pruned WHERE ${kinds}), 0)
      + (SELECT count(*) FROM o, ${rowsBetween(sql`o.pruned`, sql`o.cut`)} WHERE ${where})
      + (SELECT count(*) FROM o, ${rowsBetween(sql`o.tallied`)} WHERE ${where})
      ${sql.join(edges, sql` `)})::float8 AS total`,
  );
}

/** Text that a block's own text tells about exactly; anything else is looked up in the rows. */
const isPlain = (term: string): boolean => /^[\x20-\x7e]+$/.test(term);

/** By the blocks that can hold a match: their rows are checked, or, where a term is all that is asked, their text alone. */
async function countIndexed(tx: Tx, orgIds: readonly string[], question: Question, needle: Needle): Promise<number> {
  const where = allOf(conditionsOf(question));
  const { q, orgId: _, ...rest } = question;
  const byText = q !== undefined && isPlain(q) && isUnfiltered(rest);
  const text = byText ? sql`audit_search_count(${uuids(orgIds)}, ${q})` : sql`0`;
  return totalOf(
    tx,
    sql`SELECT (${text}
      + (SELECT count(*) FROM audit_search_blocks(${uuids(orgIds)}, ${JSON.stringify(needle)}::jsonb, ${byText}, NULL) b, LATERAL (
          SELECT * FROM audit_logs l WHERE l.org_id = b.org_id AND l.chain_seq BETWEEN b.first_seq AND b.last_seq OFFSET 0) a WHERE ${where})
      + (SELECT count(*) FROM ${eachOf(orgIds)}, ${INDEXED_THROUGH}, ${rowsBetween(sql`i.through`)} WHERE ${where})
      )::float8 AS total`,
  );
}

/** By reading: along the index by time where there is a range. */
const countRead = (tx: Tx, orgIds: readonly string[], question: Question): Promise<number> =>
  totalOf(
    tx,
    sql`SELECT count(*)::float8 AS total FROM ${eachOf(orgIds)}
      JOIN audit_logs a ON a.org_id = o.id WHERE ${allOf(conditionsOf(question))}`,
  );

/**
 * How many rows of some organizations answer a question, exactly. Without filters the chain knows: its sequence has no
 * gaps, so head minus what was pruned is the count, at any length of history.
 */
export async function countRows(
  tx: Tx,
  { orgIds, question, needle }: { orgIds: readonly string[]; question: Question; needle: Needle | null },
): Promise<number> {
  if (orgIds.length === 0) return 0;
  if (isUnfiltered(question))
    return totalOf(
      tx,
      sql`SELECT COALESCE(sum(h.seq - h.pruned_through_seq), 0)::float8 AS total FROM audit_chain_heads_of(${uuids(orgIds)}) h`,
    );
  if (isTallied(question)) return countTallied(tx, orgIds, question);
  return needle && isIndexed(needle) ? countIndexed(tx, orgIds, question, needle) : countRead(tx, orgIds, question);
}
