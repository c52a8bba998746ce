import { type SQL, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { tenantRead } from "@/db/read";
import { rowsOf } from "@/db/rows";
import { boundsOf } from "@/server/audit/query/bounds";
import { conditionsOf, isTallied } from "@/server/audit/query/conditions";
import { type Deadline, deadlineOf } from "@/server/audit/query/deadline";
import { type Plan, planFor } from "@/server/audit/query/plan";
import { instants, keyRows, newestKeys } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search";
import { TALLY_MS, talliedCounts } from "@/server/audit/query/tallies";
import type { AuditResult } from "@/server/audit/vocabulary";
import { operation } from "@/server/ground/operation";
import { bounded } from "@/server/ground/time/bounds";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";
import { fromWallClock, offsetMs, wallClock } from "@/server/ground/time/wall-clock";
import {
  type Histogram,
  histogram,
  histogramInput,
  MAX_HISTOGRAM_BUCKETS,
  MAX_HISTOGRAM_ROWS,
  type STEP_UNITS,
} from "./facets-schema";

export type Step = { unit: (typeof STEP_UNITS)[number]; n: number };

/** A Monday to count weeks from, in any time zone. */
const MONDAY = Date.UTC(1970, 0, 5);
const LENGTH: Record<Step["unit"], number> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS, month: 30 * DAY_MS };

const STEPS: readonly Step[] = [
  ...[1, 5, 15].map((n): Step => ({ unit: "minute", n })),
  ...[1, 3, 6, 12].map((n): Step => ({ unit: "hour", n })),
  ...[1, 7].map((n): Step => ({ unit: "day", n })),
];

/** Steps aligned to the day, week or month of the wall clock; shorter ones are aligned to the hour. */
const isByWall = ({ unit, n }: Step): boolean => unit === "day" || unit === "month" || (unit === "hour" && n > 1);

function floorWall(wall: number, { unit, n }: Step): number {
  if (unit === "month") {
    const at = new Date(wall);
    return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - (at.getUTCMonth() % Math.min(n, 12)));
  }
  const length = n * LENGTH[unit];
  const origin = n === 7 ? MONDAY : 0;
  return Math.floor((wall - origin) / length) * length + origin;
}

function nextWall(wall: number, { unit, n }: Step): number {
  if (unit !== "month") return wall + n * LENGTH[unit];
  const at = new Date(wall);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + n);
}

/** Step boundaries around a range, ascending and unique: the first at or before `from`, the last after `to`. */
export function edgesOf(from: number, to: number, { step, zone }: { step: Step; zone: string }): number[] {
  if (!isByWall(step)) {
    const length = step.n * LENGTH[step.unit];
    const offset = offsetMs(zone, new Date(from));
    const first = Math.floor((from + offset) / length) * length - offset;
    return Array.from({ length: Math.floor((to - first) / length) + 2 }, (_, i) => first + i * length);
  }
  let wall = floorWall(wallClock(new Date(from), zone), step);
  const edges = [fromWallClock(wall, zone).getTime()];
  while ((edges.at(-1) ?? 0) <= to) {
    wall = nextWall(wall, step);
    const edge = fromWallClock(wall, zone).getTime();
    // An hour skipped by a clock change has no step.
    if (edge > (edges.at(-1) ?? 0)) edges.push(edge);
  }
  return edges;
}

/** Finest step that keeps the number of buckets within the limit, both ends counted. */
export function stepOf(from: number, to: number): Step {
  const fits = ({ unit, n }: Step) => (to - from) / (n * LENGTH[unit]) < MAX_HISTOGRAM_BUCKETS - 2;
  const months = Math.ceil((to - from) / (28 * DAY_MS) / (MAX_HISTOGRAM_BUCKETS - 2));
  return STEPS.find(fits) ?? { unit: "month", n: Math.max(1, months) };
}

type Count = { bucket: number; result: AuditResult; n: number; oldest: number | null };
type Counting = { edges: readonly number[]; deadline: Deadline };
type Counts = { counts: Count[]; truncated: boolean };

/** Rows (at, result, n) by bucket, numbered from 1. */
const bucketed = (rows: SQL, edges: readonly number[]): SQL => sql`
  SELECT width_bucket(r.at, ${instants(edges)}) AS bucket, r.result,
    sum(r.n)::float8 AS n, (min(extract(epoch FROM r.at)) * 1000)::float8 AS oldest
  FROM (${rows}) AS r(at, result, n) GROUP BY 1, 2`;

/** Counts the newest matches one by one, at most MAX_HISTOGRAM_ROWS. */
async function countNewest(tx: Tx, plan: Plan, { edges, deadline }: Counting): Promise<Counts> {
  const limit = MAX_HISTOGRAM_ROWS;
  let rows: SQL;
  let cut = false;
  if (plan.all.kind === "keys" && !isTallied(plan.filter)) {
    const found = await findKeys(tx, plan, { need: limit, deadline });
    cut = found.cut;
    rows = sql`SELECT a."timestamp", a.result, 1 FROM ${layout().rowsAt(keyRows(found.keys))}`;
  } else {
    const columns = sql.raw(`a.org_id, a.chain_seq, a."timestamp", a.result`);
    const newest = newestKeys(plan.orgIds, { conditions: conditionsOf(plan.filter), limit }, columns);
    rows = sql`SELECT a."timestamp", a.result, 1 FROM (${newest}) a`;
  }
  const counts = await rowsOf<Count>(tx, bucketed(rows, edges));
  return { counts, truncated: cut || counts.reduce((sum, { n }) => sum + n, 0) >= limit };
}

/**
 * Counts every match by the tallies, which are by UTC hour: in one query if all edges are full hours, else bucket by
 * bucket with the rows at both ends. Null for buckets under an hour.
 */
function talliedRows({ orgIds, filter }: Plan, edges: readonly number[]): SQL | null {
  if (edges.every((edge) => edge % TALLY_MS === 0)) return talliedCounts(orgIds, filter);
  const [from, to] = [
    filter.from?.getTime() ?? Number.NEGATIVE_INFINITY,
    filter.to?.getTime() ?? Number.POSITIVE_INFINITY,
  ];
  const parts = edges.slice(0, -1).flatMap((edge, i) => {
    const [low, high] = [Math.max(edge, from), Math.min((edges[i + 1] ?? edge) - 1, to)];
    return low > high ? [] : [{ from: new Date(low), to: new Date(high) }];
  });
  const counts = parts.map((span) => talliedCounts(orgIds, { ...filter, ...span }));
  if (counts.some((rows) => rows === null)) return null;
  const buckets = counts.map(
    (rows, i) =>
      sql`(SELECT ${parts[i]?.from.toISOString()}::timestamptz, c.result, c.n FROM (${rows}) AS c(since, result, n))`,
  );
  return buckets.length > 0 ? sql.join(buckets, sql` UNION ALL `) : null;
}

async function countAll(tx: Tx, plan: Plan, counting: Counting): Promise<Counts> {
  const { edges } = counting;
  const isLong = (edges[1] ?? 0) - (edges[0] ?? 0) >= TALLY_MS;
  const rows = isLong && isTallied(plan.filter) ? talliedRows(plan, edges) : null;
  if (!rows) return countNewest(tx, plan, counting);
  return { counts: await rowsOf<Count>(tx, bucketed(rows, edges)), truncated: false };
}

function toBuckets(counts: readonly Count[], edges: readonly number[]): Histogram["buckets"] {
  const buckets = new Map<number, Histogram["buckets"][number]>();
  for (const { bucket: at, result, n } of counts) {
    const ms = edges[at - 1];
    if (ms === undefined || at >= edges.length) continue; // A row that was sealed after the bounds were read.
    const bucket = buckets.get(ms) ?? { at: new Date(ms).toISOString(), success: 0, failure: 0, denied: 0 };
    bucket[result] += n;
    buckets.set(ms, bucket);
  }
  return [...buckets.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
}

const NOTHING: Histogram = {
  from: null,
  to: null,
  step: { unit: "day", n: 1 },
  edges: [],
  buckets: [],
  countedFrom: null,
  truncated: false,
};

/**
 * Matches over time by result, in at most MAX_HISTOGRAM_BUCKETS wall-clock steps of a zone. Exact for any history if
 * the filter is on kind and time and steps are at least an hour; else counts the newest MAX_HISTOGRAM_ROWS matches.
 */
export const getHistogram = operation({
  permission: "audit:read",
  input: histogramInput,
  output: histogram,
  async run(ctx, { zone, ...filter }) {
    return tenantRead(ctx.scope, async (tx) => {
      const plan = await planFor(tx, ctx, filter);
      const bounds = plan.orgIds.length > 0 ? await boundsOf(tx, plan.orgIds) : { first: null, last: null };
      const from = filter.from?.getTime() ?? bounds.first;
      const to = filter.to?.getTime() ?? bounds.last;
      if (from === null || to === null || from > to) return NOTHING;
      const step = stepOf(from, to);
      const edges = edgesOf(from, to, { step, zone }).map(bounded);
      const { counts, truncated } = await countAll(tx, plan, { edges, deadline: deadlineOf(ctx, "counts") });
      const oldest = truncated ? Math.min(...counts.map((count) => count.oldest ?? to)) : null;
      return {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        step,
        edges: edges.map((ms) => new Date(ms).toISOString()),
        buckets: toBuckets(counts, edges),
        countedFrom: oldest !== null && Number.isFinite(oldest) ? new Date(oldest).toISOString() : null,
        truncated,
      };
    });
  },
});
