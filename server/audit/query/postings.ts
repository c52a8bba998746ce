import { type SQL, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { ACTOR_FILTERS, asksOnly, conditionsOf, conditionsOn, type RowFilter, valuesOf } from "./conditions";
import {
  allOf,
  type Cursor,
  type Found,
  KEY,
  type Key,
  keyRows,
  Matches,
  NEWEST_FIRST,
  olderThan,
  rowsBetween,
} from "./rows";
import { BY_ACTOR_ALONE, BY_RESOURCE, type Shape } from "./tallies";

/** So many rows are read by key for a page; where more would have to be, walking on or the blocks are faster. */
const MOST_ROWS = 4_000;

/** The counts that know where the rows of a filter are, and its conditions on them; isAll: it asks for nothing else. */
export type Postings = { shape: Shape; conditions: SQL[]; isAll: boolean };

/** A slice of a chain with rows of who or what is asked for; ms is the time of the newest of them. */
type Slice = { org_id: string; first_seq: string; ms: number; rows: number; seqs: Buffer | null };

/** Null where no counts know where the rows of a filter are. */
export function postingsOf(orgIds: readonly string[], filter: RowFilter): Postings | null {
  const about = valuesOf(filter, "resourceId").length > 0;
  const by = ACTOR_FILTERS.some((name) => name !== "actorType" && valuesOf(filter, name).length > 0);
  const shape = about ? BY_RESOURCE : by ? BY_ACTOR_ALONE : null;
  if (!shape) return null;
  const names = about ? (["resourceId"] as const) : ACTOR_FILTERS;
  const conditions = [...conditionsOn(filter, names), ...(shape.among ? [shape.among(orgIds, filter)] : [])];
  return { shape, conditions, isAll: asksOnly(filter, names) && !filter.routine };
}

/**
 * Slices with rows that can match, those with the newest first, the next `enough` rows with their sequences; one more than
 * MOST_ROWS rows where others are asked for besides and there are so many.
 */
async function readSlices(
  tx: Tx,
  orgIds: readonly string[],
  { shape, conditions, enough }: Omit<Postings, "isAll"> & { enough: number },
): Promise<Slice[]> {
  const { table, columns = "t.*" } = shape;
  return rowsOf(
    tx,
    sql`WITH found AS MATERIALIZED (
        SELECT a.org_id, a.first_seq, a.rows, a.last_at, a.seqs
        FROM ${layout().eachOf(orgIds)} JOIN (SELECT ${sql.raw(columns)} FROM ${sql.raw(table)} t) a ON a.org_id = o.id
        WHERE ${allOf(conditions)}),
      slices AS (
        SELECT org_id, first_seq, max(last_at) AS last_at, sum(rows) AS rows, bool_and(seqs IS NOT NULL) AS known,
          sum(sum(rows)) OVER (ORDER BY max(last_at) DESC, org_id, first_seq) AS through
        FROM found
        GROUP BY org_id, first_seq)
      SELECT s.org_id, s.first_seq, (extract(epoch FROM s.last_at) * 1000)::float8 AS ms, s.rows::float8 AS rows,
        CASE WHEN s.known AND s.through - s.rows < ${enough} THEN (
          SELECT string_agg(f.seqs, '') FROM found f WHERE f.org_id = s.org_id AND f.first_seq = s.first_seq) END AS seqs
      FROM slices s
      ORDER BY s.through`,
  );
}

const SEQ_BYTES = 3;
const SEQ_RANGE = 2 ** (8 * SEQ_BYTES);

/** The sequences of a slice's rows, of each of which the last three bytes are stored. */
function keysOf({ org_id: orgId, first_seq, seqs }: Slice): Key[] {
  const first = Number(first_seq);
  return Array.from({ length: (seqs?.length ?? 0) / SEQ_BYTES }, (_, n) => {
    const past = (seqs?.readUIntBE(n * SEQ_BYTES, SEQ_BYTES) ?? 0) - (first % SEQ_RANGE);
    return { orgId, seq: String(first + ((past + SEQ_RANGE) % SEQ_RANGE)) };
  });
}

/** Rows that the tallies have not come to yet. */
const untalliedKeys = (
  tx: Tx,
  orgIds: readonly string[],
  { where, need }: { where: SQL; need: number },
): Promise<Found[]> =>
  rowsOf(
    tx,
    sql`SELECT ${KEY} FROM ${layout().eachOf(orgIds)}, LATERAL (SELECT COALESCE(
        (SELECT s.tallied_through_seq FROM audit_search_state s WHERE s.org_id = o.id), 0) AS through OFFSET 0) i,
      ${rowsBetween(sql`i.through`)} WHERE ${where} ${NEWEST_FIRST} LIMIT ${need}`,
  );

/** Slices that overlap the span of a filter, as conditions on them. */
function spanOf({ from, to }: RowFilter, after: Cursor | undefined): SQL[] {
  const end = Math.min(to?.getTime() ?? Number.POSITIVE_INFINITY, after?.ms ?? Number.POSITIVE_INFINITY);
  return [
    ...(from ? [sql`a.last_at >= ${from.toISOString()}::timestamptz`] : []),
    ...(Number.isFinite(end) ? [sql`a.first_at <= ${new Date(end).toISOString()}::timestamptz`] : []),
  ];
}

/**
 * The newest rows of some people or resources, by key: the counts of each slice say where its rows are (db:
 * audit_search_values), and rows that are not counted yet are read. Slices are gone through by the time of their newest row
 * until enough rows are newer than any slice that is left; what is read of a slice is checked by all conditions.
 * @returns null where there are so many rows that other ways are faster
 */
export async function findPosted(
  tx: Tx,
  { orgIds, filter, postings }: { orgIds: readonly string[]; filter: RowFilter; postings: Postings },
  { after, need }: { after?: Cursor | undefined; need: number },
): Promise<Found[] | null> {
  if (need > MOST_ROWS) return null;
  const { shape, isAll } = postings;
  const where = allOf([...conditionsOf(filter), ...(after ? [olderThan(after)] : [])]);
  const matches = new Matches();
  const conditions = [...postings.conditions, ...spanOf(filter, after)];
  for (let enough = isAll ? 2 * need : MOST_ROWS; ; enough *= 2) {
    // Sent together: they are answered in this order, so the counts know at least what is not read here.
    const [untallied, slices] = await Promise.all([
      untalliedKeys(tx, orgIds, { where, need }),
      readSlices(tx, orgIds, { shape, conditions, enough }),
    ]);
    const known = slices.findIndex(({ seqs }) => !seqs);
    const read = known < 0 ? slices : slices.slice(0, known);
    const left = slices[read.length];
    const rows = read.reduce((sum, slice) => sum + slice.rows, 0);
    if (rows > MOST_ROWS || (left && (rows < enough || !isAll))) return null;
    matches.add(untallied);
    matches.add(
      await rowsOf<Found>(tx, sql`SELECT ${KEY} FROM ${layout().rowsAt(keyRows(read.flatMap(keysOf)))} WHERE ${where}`),
    );
    if (!left || matches.newerThan(left.ms) >= need) return matches.newest(need);
    if (enough > MOST_ROWS) return null;
  }
}
