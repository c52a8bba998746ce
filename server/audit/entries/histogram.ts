import { type SQL, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { conditionsOf, isTallied } from "@/server/audit/query/conditions";
import { type ResolvedFilter, resolveFilter } from "@/server/audit/query/resolve";
import { eachOf, keyRows, newestKeys, rowsAt } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search-keys";
import { TALLY_MS, talliedCounts } from "@/server/audit/query/search-tallies";
import type { AuditResult } from "@/server/audit/vocabulary";
import { operation } from "@/server/operation";
import { facetsInput, type Histogram, histogram, MAX_HISTOGRAM_BUCKETS, MAX_HISTOGRAM_ROWS } from "./facets-schema";

const TIME_MS = 400;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Up to a quarter of an hour read by row; from six hours on by the tallies, which these are multiples of. */
const STEPS = [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * MINUTE).concat([DAY, 7 * DAY, 30 * DAY]);

/** The finest step that leaves a range few enough buckets, both ends counted. */
export function stepOf(from: number, to: number): number {
  const fits = (step: number) => Math.floor(to / step) - Math.floor(from / step) < MAX_HISTOGRAM_BUCKETS;
  const month = 30 * DAY;
  return STEPS.find(fits) ?? month * Math.ceil((to - from) / month / (MAX_HISTOGRAM_BUCKETS - 1));
}

type Bounds = { first: number | null; last: number | null };

/** When the oldest and the newest row of some organizations are said to have happened. */
async function boundsOf(tx: Tx, orgIds: readonly string[]): Promise<Bounds> {
  const end = (direction: "ASC" | "DESC") =>
    sql`(SELECT e.at FROM ${eachOf(orgIds)}, LATERAL (SELECT (extract(epoch FROM l."timestamp") * 1000)::float8 AS at FROM audit_logs l
      WHERE l.org_id = o.id ORDER BY l."timestamp" ${sql.raw(direction)} LIMIT 1) e ORDER BY 1 ${sql.raw(direction)} LIMIT 1)`;
  const [bounds] = await rowsOf<Bounds>(tx, sql`SELECT ${end("ASC")} AS first, ${end("DESC")} AS last`);
  return bounds ?? { first: null, last: null };
}

type Count = { ms: number; result: AuditResult; n: number; oldest: number | null };
type Counts = { counts: Count[]; truncated: boolean };

const bucketed = (rows: SQL, stepMs: number): SQL => sql`
  SELECT (floor(extract(epoch FROM r.at) * 1000 / ${stepMs}) * ${stepMs})::float8 AS ms, r.result, sum(r.n)::float8 AS n,
    (min(extract(epoch FROM r.at)) * 1000)::float8 AS oldest
  FROM (${rows}) AS r(at, result, n) GROUP BY 1, 2`;

/** The newest matches one by one, as many as may be. */
async function countNewest(tx: Tx, resolved: ResolvedFilter, stepMs: number): Promise<Counts> {
  const limit = MAX_HISTOGRAM_ROWS;
  let rows: SQL;
  let cut = false;
  if (resolved.probe && !isTallied(resolved.filter)) {
    const found = await findKeys(tx, resolved, { need: limit, deadline: performance.now() + TIME_MS });
    cut = found.cut;
    rows = sql`SELECT a."timestamp", a.result, 1 FROM ${rowsAt(keyRows(found.keys))}`;
  } else {
    const columns = sql.raw(`a.org_id, a.chain_seq, a."timestamp", a.result`);
    const newest = newestKeys(resolved.orgIds, { conditions: conditionsOf(resolved.filter), limit }, columns);
    rows = sql`SELECT a."timestamp", a.result, 1 FROM (${newest}) a`;
  }
  const counts = await rowsOf<Count>(tx, bucketed(rows, stepMs));
  return { counts, truncated: cut || counts.reduce((sum, { n }) => sum + n, 0) >= limit };
}

async function countAll(tx: Tx, resolved: ResolvedFilter, stepMs: number): Promise<Counts> {
  const tallied = stepMs % TALLY_MS === 0 && isTallied(resolved.filter);
  const rows = tallied ? talliedCounts(resolved.orgIds, resolved.filter) : null;
  if (!rows) return countNewest(tx, resolved, stepMs);
  return { counts: await rowsOf<Count>(tx, bucketed(rows, stepMs)), truncated: false };
}

function toBuckets(counts: readonly Count[]): Histogram["buckets"] {
  const buckets = new Map<number, Histogram["buckets"][number]>();
  for (const { ms, result, n } of counts) {
    const bucket = buckets.get(ms) ?? { at: new Date(ms).toISOString(), success: 0, failure: 0, denied: 0 };
    bucket[result] += n;
    buckets.set(ms, bucket);
  }
  return [...buckets.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
}

/**
 * When the matches of a filter happened, in at most MAX_HISTOGRAM_BUCKETS steps by result. Exact at any length of history
 * for filters on kind and time in steps of six hours and more; else the newest MAX_HISTOGRAM_ROWS matches are counted.
 */
export const getHistogram = operation({
  permission: "audit:read",
  input: facetsInput,
  output: histogram,
  async run(ctx, filter) {
    return tenant(ctx.scope, async (tx) => {
      const resolved = await resolveFilter(tx, ctx, filter);
      const bounds = resolved.orgIds.length > 0 ? await boundsOf(tx, resolved.orgIds) : { first: null, last: null };
      const from = filter.from?.getTime() ?? bounds.first;
      const to = filter.to?.getTime() ?? bounds.last;
      if (from === null || to === null || from > to)
        return { from: null, to: null, stepMs: DAY, buckets: [], countedFrom: null, truncated: false };
      const stepMs = stepOf(from, to);
      const { counts, truncated } = await countAll(tx, resolved, stepMs);
      const oldest = truncated ? Math.min(...counts.map((count) => count.oldest ?? to)) : null;
      return {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        stepMs,
        buckets: toBuckets(counts),
        countedFrom: oldest !== null && Number.isFinite(oldest) ? new Date(oldest).toISOString() : null,
        truncated,
      };
    });
  },
});
