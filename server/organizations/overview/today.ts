import { sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { detectionAlerts } from "@/db/schema/index";
import type { RowFilter } from "@/server/audit/query/conditions";
import { reachedBy } from "@/server/audit/query/rows";
import { BY_ORGANIZATION, BY_RESULT, countedRows, countsBy } from "@/server/audit/query/tallies";
import type { Ctx, Scope } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { inScope } from "@/server/ground/scope";
import { DAY_MS, HOUR_MS } from "@/server/ground/time/durations";
import { IS_SHOWN } from "./arrange";
import { inChunks } from "./chunks";
import { readOverviews } from "./read";
import {
  NEW_ADDRESS_TYPES,
  type OrganizationOverview,
  PRIVILEGED_ACTIONS,
  type Shown,
  TODAY_KINDS,
  type Today,
  type TodayKind,
  today,
  todayInput,
} from "./schema";

/** Previous days whose mean is usual. */
const USUAL_DAYS = 14;
/** Up to this number, failures or denials are never unusual. */
const LEAST_UNUSUAL = 5;
/** Multiple of the mean above which a count is unusual. */
const TIMES_USUAL = 2;

type Named = { orgId: string; name: string };
/** A count in one organization; usual: sum of the previous days, later their daily mean, if compared. */
type Counted = { kind: TodayKind; orgId: string; count: number; usual?: number };
type Rows = { org_id: string; n: number };

const counted = (kind: TodayKind, rows: readonly Rows[]): Counted[] =>
  rows.map(({ org_id: orgId, n: count }) => ({ kind, orgId, count }));

/** Failures and denials since a time and in the previous days, from the hourly tallies, both results at once. */
async function resultsOf(tx: Tx, orgIds: readonly string[], since: Date): Promise<Counted[]> {
  const filter: RowFilter = { result: ["failure", "denied"], from: new Date(since.getTime() - USUAL_DAYS * DAY_MS) };
  const counts = countsBy(orgIds, filter, BY_RESULT);
  const rows = await rowsOf<Rows & { result: "failure" | "denied"; before: number }>(
    tx,
    sql`SELECT c.org_id, c.result,
        coalesce(sum(c.n) FILTER (WHERE c.since >= ${since.toISOString()}::timestamptz), 0)::float8 AS n,
        coalesce(sum(c.n) FILTER (WHERE c.since < ${since.toISOString()}::timestamptz), 0)::float8 AS before
      FROM (${counts}) AS c(org_id, since, result, n) GROUP BY 1, 2`,
  );
  return rows.map(({ org_id: orgId, result, n: count, before: usual }) => ({ kind: result, orgId, count, usual }));
}

async function privilegedOf(tx: Tx, orgIds: readonly string[], from: Date): Promise<Counted[]> {
  const filter: RowFilter = { actions: PRIVILEGED_ACTIONS, result: ["success"], from };
  const counts = countsBy(orgIds, filter, BY_ORGANIZATION);
  const sums = sql`SELECT c.org_id, sum(c.n)::float8 AS n FROM (${counts}) AS c(org_id, n) GROUP BY 1`;
  return counted("privileged", await rowsOf<Rows>(tx, sums));
}

async function newAddressesOf(tx: Tx, orgIds: readonly string[], from: Date): Promise<Counted[]> {
  const filter: RowFilter = { new: ["address"], actorType: NEW_ADDRESS_TYPES, from };
  const counts = countedRows(orgIds, filter, BY_ORGANIZATION);
  const rows = sql`SELECT c.org_id, c.n::float8 AS n FROM (${counts}) AS c(org_id, n)`;
  return counted("new_address", await rowsOf<Rows>(tx, rows));
}

async function alertsOf(tx: Tx, scope: Scope): Promise<Counted[]> {
  const { orgId, state } = detectionAlerts;
  const rows = await rowsOf<Rows>(
    tx,
    sql`SELECT ${orgId} AS org_id, count(*)::float8 AS n FROM ${detectionAlerts}
      WHERE ${inScope(orgId, scope)} AND ${state} = 'open' GROUP BY 1`,
  );
  return counted("alert", rows);
}

/** Counts from each organization's log, one query per kind, from indexes and tallies. */
const logCounts = (ctx: Ctx, orgIds: readonly string[], since: Date): Promise<Counted[]> =>
  inChunks(ctx, orgIds, async (tx, scope) => [
    ...(await alertsOf(tx, scope)),
    ...(await resultsOf(tx, scope.orgIds, since)),
    ...(await newAddressesOf(tx, scope.orgIds, since)),
    ...(await privilegedOf(tx, scope.orgIds, since)),
  ]);

/**
 * Failures or denials that are unusual for an organization with at least a day of history; converts the sum of previous
 * days to a daily mean.
 */
function unusualOf(one: Counted, oldestAt: string | null, since: Date): Counted[] {
  const { count, usual: before } = one;
  if (before === undefined) return count > 0 ? [one] : [];
  const days = oldestAt ? (since.getTime() - Date.parse(oldestAt)) / DAY_MS : 0;
  const usual = before / Math.min(USUAL_DAYS, Math.max(1, days));
  return days >= 1 && count >= LEAST_UNUSUAL && count > TIMES_USUAL * usual ? [{ ...one, usual }] : [];
}

const STATES: readonly [TodayKind, Shown, (row: OrganizationOverview) => number][] = [
  ["chain", "chain", () => 1],
  ["silent", "silent", ({ devices }) => devices?.silent ?? 0],
  ["retention", "retention", () => 1],
];

const statesOf = (rows: readonly OrganizationOverview[]): Counted[] =>
  STATES.flatMap(([kind, shown, countOf]) =>
    rows.filter(IS_SHOWN[shown]).map((row) => ({ kind, orgId: row.orgId, count: countOf(row) })),
  );

function lineOf(kind: TodayKind, found: readonly Counted[], names: ReadonlyMap<string, Named>): Today["lines"] {
  const own = found.filter((one) => one.kind === kind).sort((a, b) => b.count - a.count);
  if (own.length === 0) return [];
  const usual = own.reduce((sum, one) => sum + (one.usual ?? 0), 0);
  return [
    {
      kind,
      count: own.reduce((sum, one) => sum + one.count, 0),
      usual: own.some((one) => one.usual !== undefined) ? Math.round(usual) : null,
      organizations: own.flatMap(({ orgId }) => names.get(orgId) ?? []),
    },
  ];
}

/** Unusual events since an hour of yesterday in the caller's reach: one line per kind, with its organizations. */
export const getToday = operation({
  permission: "audit:read",
  input: todayInput,
  output: today,
  async run(ctx) {
    const now = ctx.now();
    const since = new Date(Math.floor((now.getTime() - DAY_MS) / HOUR_MS) * HOUR_MS);
    const orgIds = await tenant(ctx.scope, (tx) => reachedBy(tx, ctx.scope));
    const [overviews, counts] = await Promise.all([readOverviews(ctx, orgIds), logCounts(ctx, orgIds, since)]);
    const by = new Map(overviews.map((row) => [row.orgId, row]));
    const unusual = counts.flatMap((one) => unusualOf(one, by.get(one.orgId)?.oldestAt ?? null, since));
    const found = [...unusual, ...statesOf(overviews)];
    const names = new Map(overviews.map(({ orgId, name }) => [orgId, { orgId, name }]));
    return {
      since: since.toISOString(),
      organizations: orgIds.length,
      lines: TODAY_KINDS.flatMap((kind) => lineOf(kind, found, names)),
    };
  },
});
