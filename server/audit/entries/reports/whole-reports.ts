import { sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { tenantRead } from "@/db/read";
import { rowsOf } from "@/db/rows";
import { COMPLIANCE_ACTIONS, SECURITY_ACTIONS } from "@/server/audit/actions";
import { toFullEntry } from "@/server/audit/entries/to-entry";
import { boundsOf } from "@/server/audit/query/bounds";
import type { RowFilter } from "@/server/audit/query/conditions";
import { countRows } from "@/server/audit/query/count";
import { planFor, planOf } from "@/server/audit/query/plan";
import { ENTRY, reachedBy, rowsByKey } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search";
import { BY_HOUR, countsBy } from "@/server/audit/query/tallies";
import type { RangeInput } from "@/server/audit/schema";
import { type Ctx, ZERO_UUID } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { bounded } from "@/server/ground/time/bounds";
import { wallClock } from "@/server/ground/time/wall-clock";
import { typed } from "@/server/ground/wire";
import {
  activityBody,
  type ByAction,
  complianceBody,
  type ReportCounts,
  securityBody,
  statisticsBody,
} from "./report-bodies";
import { actionsOf, type TypedUser, usersOf } from "./report-counts";
import { RECENT_ENTRIES, type WholeInput, wholeInput } from "./report-schema";
import { NOTABLE_SECURITY_ACTIONS } from "./vocabulary";

/**
 * before: entries of the preceding range of equal length (null: the range is open). logBegins: time of the oldest kept
 * entry, if inside the range. submitted: entries from API keys. byHour: 24 counts by hour of the day. denied: denied
 * entries by action.
 */
type Besides = {
  before: number | null;
  logBegins: string | null;
  submitted: number;
  byHour: number[];
  denied: ByAction;
};

/** Entries by hour of the day in a zone: tallies are by UTC hour, which zones with half hours split. */
async function hoursOf(tx: Tx, orgIds: readonly string[], { filter, zone }: { filter: RowFilter; zone: string }) {
  const hours = new Array<number>(HOURS).fill(0);
  const counts = countsBy(orgIds, filter, BY_HOUR);
  const rows = await rowsOf<{ ms: number; count: number }>(
    tx,
    sql`SELECT (extract(epoch FROM c.since) * 1000)::float8 AS ms, sum(c.n)::float8 AS count
      FROM (${counts}) AS c(since, result, n) GROUP BY 1`,
  );
  for (const { ms, count } of rows) {
    const hour = new Date(wallClock(new Date(ms), zone)).getUTCHours();
    hours[hour] = (hours[hour] ?? 0) + count;
  }
  return hours;
}

const HOURS = 24;

/** The preceding range of equal length; null if the range has no start. */
function rangeBefore({ from, to }: Pick<RangeInput, "from" | "to">, now: Date) {
  if (!from) return null;
  const length = (to ?? now).getTime() - from.getTime();
  return { from: new Date(bounded(from.getTime() - length)), to: new Date(from.getTime() - 1) };
}

type Counted = ReportCounts<TypedUser> & Besides;

/** Visitors without an account, such as readers of a shared link, are not users. */
const isUser = ({ actorType, userId }: TypedUser): boolean => actorType === "user" && userId !== ZERO_UUID;

/** Counts every entry of a range by the tallies: exact for any history. */
async function countAll(ctx: Ctx, input: WholeInput, actions?: readonly string[]): Promise<Counted> {
  const { from, to, only, zone = "UTC" } = input;
  const timed = { from, to };
  const filter = { ...timed, ...(actions && { actions }), ...(only && { actorType: ["user" as const] }) };
  const earlier = rangeBefore({ from, to }, ctx.now());
  return tenantRead(ctx.scope, async (tx) => {
    const plan = await planFor(tx, ctx, filter);
    const { orgIds } = plan;
    const byAction = await actionsOf(tx, (shape) => countsBy(orgIds, filter, shape));
    const users = actions ? [] : await usersOf(tx, (shape) => countsBy(orgIds, timed, shape));
    const { first } = orgIds.length > 0 ? await boundsOf(tx, orgIds) : { first: null };
    const countOf = (more: RowFilter) => countRows(tx, planOf({ orgIds, filter: { ...filter, ...more }, query: null }));
    return {
      byAction,
      users: only ? users.filter(isUser) : users,
      totalEvents: byAction.reduce((sum, { count }) => sum + count, 0),
      before: earlier && (await countOf(earlier)),
      logBegins: from && first !== null && first >= from.getTime() ? new Date(first).toISOString() : null,
      submitted: await countOf({ submitted: ["true"] }),
      byHour: await hoursOf(tx, orgIds, { filter, zone }),
      denied: await actionsOf(tx, (shape) => countsBy(orgIds, { ...filter, result: ["denied"] }, shape)),
      recent: (await rowsByKey(tx, (await findKeys(tx, plan, { need: RECENT_ENTRIES })).keys, ENTRY)).map(toFullEntry),
    };
  });
}

type Body<B> = (counts: ReportCounts<TypedUser>, range: RangeInput) => B;

type Actions = (input: WholeInput) => readonly string[];

/** A report of every entry in the range, or of those of some actions. */
const reportOf = <B>(body: Body<B>, chosen?: Actions) =>
  operation({
    permission: "audit:read",
    input: wholeInput,
    output: typed<Besides & B>(),
    async run(ctx, input) {
      const { before, logBegins, submitted, byHour, denied, ...counts } = await countAll(ctx, input, chosen?.(input));
      return { ...body(counts, input), before, logBegins, submitted, byHour, denied };
    },
  });

export const wholeUserActivity = reportOf(activityBody);
/** Every sign-in and every permission or policy change in the range. */
const securityEvents = reportOf(securityBody, ({ routine }) => (routine ? NOTABLE_SECURITY_ACTIONS : SECURITY_ACTIONS));

/** Entries in which people first used an address; null without that index. */
async function newAddresses({ scope }: Ctx, { from, to }: WholeInput): Promise<number | null> {
  if (!layout().isIndexed) return null;
  const filter = { from, to, new: ["address"], actorType: ["user"] };
  return tenantRead(scope, async (tx) =>
    countRows(tx, planOf({ orgIds: await reachedBy(tx, scope), filter, query: null })),
  );
}

/** Security events, and the number of addresses new to their users. */
export const wholeSecurityEvents = operation({
  ...securityEvents,
  output: typed<Awaited<ReturnType<typeof securityEvents.run>> & { newAddresses: number | null }>(),
  run: async (ctx, input) => ({
    ...(await securityEvents.run(ctx, input)),
    newAddresses: await newAddresses(ctx, input),
  }),
});
/** Every data access and governed change in the range. */
export const wholeCompliance = reportOf(complianceBody, () => COMPLIANCE_ACTIONS);
/** Every entry in the range by category and actor. */
export const wholeStatistics = reportOf(statisticsBody<TypedUser>);
