import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { tenantRead } from "@/db/read";
import { rowsOf } from "@/db/rows";
import { COMPLIANCE_ACTIONS, SECURITY_ACTIONS } from "@/server/audit/actions";
import { actorName, toFullEntry } from "@/server/audit/entries/to-entry";
import type { RowFilter } from "@/server/audit/query/conditions";
import { countRows } from "@/server/audit/query/count";
import { planOf } from "@/server/audit/query/plan";
import { reachedBy } from "@/server/audit/query/rows";
import { BY_ACTION, BY_ACTOR, countedRows, talliedCounts } from "@/server/audit/query/tallies";
import { type RangeInput, rangeInput } from "@/server/audit/schema";
import type { ActorType } from "@/server/audit/vocabulary";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { bounded } from "@/server/ground/time/bounds";
import { typed } from "@/server/ground/wire";
import {
  activityBody,
  type ByAction,
  byCount,
  complianceBody,
  type ReportCounts,
  securityBody,
  statisticsBody,
} from "./report-bodies";
import { actorKey, namesOf, readReportRows } from "./report-rows";
import { type ActiveUser, RECENT_ENTRIES } from "./report-schema";

/** Entries of the range of the same length before it; null: the range has no beginning. */
type Before = { before: number | null };
async function actionsOf(tx: Tx, orgIds: readonly string[], filter: RowFilter): Promise<ByAction> {
  if (orgIds.length === 0) return [];
  const counts = talliedCounts(orgIds, filter, { shape: BY_ACTION }) ?? countedRows(orgIds, filter, BY_ACTION);
  const rows = await rowsOf<{ action: string; count: number }>(
    tx,
    sql`SELECT c.action, sum(c.n)::float8 AS count FROM (${counts}) AS c(action, n) GROUP BY 1`,
  );
  return byCount(rows, ({ action }) => action);
}

type ActorRow = {
  actor_type: ActorType;
  actor_id: string;
  raw_id: string | null;
  email: string | null;
  ms: number;
  count: number;
};

/** Every actor of a range by the tallies: for filters on time alone. */
export async function actorsOf(tx: Tx, orgIds: readonly string[], filter: RowFilter): Promise<ActorRow[]> {
  if (orgIds.length === 0) return [];
  const counts = talliedCounts(orgIds, filter, { shape: BY_ACTOR }) ?? countedRows(orgIds, filter, BY_ACTOR);
  return rowsOf<ActorRow>(
    tx,
    sql`SELECT c.actor_type, c.actor_id, c.raw_id, max(c.email) AS email,
        (extract(epoch FROM max(c.last_at)) * 1000)::float8 AS ms, sum(c.n)::float8 AS count
      FROM (${counts}) AS c(actor_type, actor_id, raw_id, email, last_at, n) GROUP BY 1, 2, 3`,
  );
}

/** With the actor's type, which the API's reports do not have: those without an id are told apart by it alone. */
type TypedUser = ActiveUser & { actorType: ActorType };

async function usersOf(tx: Tx, orgIds: readonly string[], filter: RowFilter): Promise<TypedUser[]> {
  const rows = await actorsOf(tx, orgIds, filter);
  const names = await namesOf(tx, rows);
  return rows
    .map((row): TypedUser => {
      const named = names.get(actorKey(row)) ?? { user_name: null, user_email: null, key_name: null, hostname: null };
      return {
        userId: row.raw_id ?? row.actor_id,
        actorType: row.actor_type,
        userName: actorName({ ...row, ...named, actor_email: row.email }, { rawActorId: row.raw_id }),
        userEmail: row.email ?? named.user_email ?? "",
        actionCount: row.count,
        lastActiveAt: new Date(row.ms).toISOString(),
      };
    })
    .sort((a, b) => b.actionCount - a.actionCount || (a.lastActiveAt < b.lastActiveAt ? 1 : -1));
}

/** The range of the same length that ends where this one begins; null where it has no beginning. */
function rangeBefore({ from, to }: Pick<RangeInput, "from" | "to">, now: Date) {
  if (!from) return null;
  const length = (to ?? now).getTime() - from.getTime();
  return { from: new Date(bounded(from.getTime() - length)), to: new Date(from.getTime() - 1) };
}

type Counted = ReportCounts<TypedUser> & Before;

/** Counts every entry of a range by the tallies, exactly at any length of history. */
async function countAll(ctx: Ctx, { from, to }: RangeInput, actions?: readonly string[]): Promise<Counted> {
  const filter = { from, to, ...(actions && { actions }) };
  const earlier = rangeBefore({ from, to }, ctx.now());
  const counted = await tenantRead(ctx.scope, async (tx) => {
    const orgIds = await reachedBy(tx, ctx.scope);
    const byAction = await actionsOf(tx, orgIds, filter);
    return {
      byAction,
      users: actions ? [] : await usersOf(tx, orgIds, filter),
      totalEvents: byAction.reduce((sum, { count }) => sum + count, 0),
      before: earlier && (await countRows(tx, planOf({ orgIds, filter: { ...filter, ...earlier }, probe: null }))),
    };
  });
  const { recent } = await readReportRows(ctx, filter, RECENT_ENTRIES);
  return { ...counted, recent: recent.map(toFullEntry) };
}

type Body<B> = (counts: ReportCounts<TypedUser>, range: RangeInput) => B;

/** A report of every entry in the range, or of those of some actions. */
const reportOf = <B>(body: Body<B>, actions?: readonly string[]) =>
  operation({
    permission: "audit:read",
    input: rangeInput,
    output: typed<Before & B>(),
    async run(ctx, range) {
      const { before, ...counts } = await countAll(ctx, range, actions);
      return { ...body(counts, range), before };
    },
  });

/** Who did how much, of every entry in the range. */
export const wholeUserActivity = reportOf(activityBody);
/** Sign-ins, permission and policy changes, every one in the range. */
export const wholeSecurityEvents = reportOf(securityBody, SECURITY_ACTIONS);
/** Access to data and changes to what is governed, every one in the range. */
export const wholeCompliance = reportOf(complianceBody, COMPLIANCE_ACTIONS);
/** Every entry in the range by category and actor. */
export const wholeStatistics = reportOf((counts, range) => ({
  ...statisticsBody(counts, range),
  byUser: counts.users.map(({ userId, actorType, userName, actionCount }) => ({
    userId,
    actorType,
    userName,
    actionCount,
  })),
}));
