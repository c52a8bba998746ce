import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { tenantRead } from "@/db/read";
import { rowsOf } from "@/db/rows";
import { COMPLIANCE_ACTIONS, categoryOf, SECURITY_ACTIONS } from "@/server/audit/actions";
import { actorName, toFullEntry } from "@/server/audit/entries/to-entry";
import type { RowFilter } from "@/server/audit/query/conditions";
import { countRows } from "@/server/audit/query/count";
import { reachedBy } from "@/server/audit/query/rows";
import { BY_ACTION, BY_ACTOR, countedRows, talliedCounts } from "@/server/audit/query/search-tallies";
import { type FullEntry, type RangeInput, rangeInput } from "@/server/audit/schema";
import type { ActorType, Category } from "@/server/audit/vocabulary";
import type { Ctx } from "@/server/context";
import { operation } from "@/server/operation";
import { typed } from "@/server/wire";
import { actorKey, namesOf, readReportRows } from "./report-rows";
import { type ActiveUser, RECENT_ENTRIES, TOP_USERS } from "./report-schema";

/** Entries of the range, and of the range of the same length before it (null: the range has no beginning). */
type Total = { totalEvents: number; before: number | null };
type ByAction = { action: string; count: number }[];

const byCount = <T extends { count: number }>(counts: T[], nameOf: (one: T) => string): T[] =>
  counts.sort((a, b) => b.count - a.count || (nameOf(a) < nameOf(b) ? -1 : 1));

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

async function usersOf(tx: Tx, orgIds: readonly string[], filter: RowFilter): Promise<ActiveUser[]> {
  const rows = await actorsOf(tx, orgIds, filter);
  const names = await namesOf(tx, rows);
  return rows
    .map((row): ActiveUser => {
      const named = names.get(actorKey(row)) ?? { user_name: null, user_email: null, key_name: null, hostname: null };
      return {
        userId: row.raw_id ?? row.actor_id,
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
  const end = to ?? now;
  return { from: new Date(from.getTime() - (end.getTime() - from.getTime())), to: new Date(from.getTime() - 1) };
}

type Counted = Total & { byAction: ByAction; users: ActiveUser[]; recent: FullEntry[] };

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
      before: earlier && (await countRows(tx, { orgIds, filter: { ...filter, ...earlier }, probe: null })),
    };
  });
  const { recent } = await readReportRows(ctx, filter, { max: RECENT_ENTRIES, recent: RECENT_ENTRIES });
  return { ...counted, recent: recent.map(toFullEntry) };
}

const countOf = (byAction: ByAction, action: string): number =>
  byAction.find((one) => one.action === action)?.count ?? 0;

type Activity = Total & {
  totalUsers: number;
  actionsPerUser: ActiveUser[];
  topUsers: ActiveUser[];
  recentActivity: FullEntry[];
};

/** Who did how much, of every entry in the range. */
export const wholeUserActivity = operation({
  permission: "audit:read",
  input: rangeInput,
  output: typed<Activity>(),
  async run(ctx, range): Promise<Activity> {
    const { users, totalEvents, before, recent } = await countAll(ctx, range);
    const topUsers = users.slice(0, TOP_USERS);
    return { totalEvents, before, totalUsers: users.length, actionsPerUser: users, topUsers, recentActivity: recent };
  },
});

type Security = Total & {
  loginAttempts: number;
  failedLogins: number;
  permissionChanges: number;
  byAction: ByAction;
  recentEvents: FullEntry[];
};

/** Sign-ins, permission and policy changes, every one in the range. */
export const wholeSecurityEvents = operation({
  permission: "audit:read",
  input: rangeInput,
  output: typed<Security>(),
  async run(ctx, range): Promise<Security> {
    const { byAction, totalEvents, before, recent } = await countAll(ctx, range, SECURITY_ACTIONS);
    const failedLogins = countOf(byAction, "user.login.failed");
    return {
      totalEvents,
      before,
      loginAttempts: countOf(byAction, "user.login") + failedLogins,
      failedLogins,
      permissionChanges: countOf(byAction, "user.permission.change"),
      byAction,
      recentEvents: recent,
    };
  },
});

type Compliance = Total & {
  dataAccess: number;
  dataChanges: number;
  exports: number;
  byAction: ByAction;
  recentEvents: FullEntry[];
};

/** Access to data and changes to what is governed, every one in the range. */
export const wholeCompliance = operation({
  permission: "audit:read",
  input: rangeInput,
  output: typed<Compliance>(),
  async run(ctx, range): Promise<Compliance> {
    const { byAction, totalEvents, before, recent } = await countAll(ctx, range, COMPLIANCE_ACTIONS);
    const [dataAccess, exports] = [countOf(byAction, "data.access"), countOf(byAction, "data.export")];
    const dataChanges = totalEvents - dataAccess - exports;
    return { totalEvents, before, dataAccess, dataChanges, exports, byAction, recentEvents: recent };
  },
});

type Statistics = Total & {
  byCategory: { category: Category; count: number }[];
  byUser: Pick<ActiveUser, "userId" | "userName" | "actionCount">[];
  range: { from: string | null; to: string | null };
};

/** Every entry in the range by category and actor. */
export const wholeStatistics = operation({
  permission: "audit:read",
  input: rangeInput,
  output: typed<Statistics>(),
  async run(ctx, range): Promise<Statistics> {
    const { byAction, users, totalEvents, before } = await countAll(ctx, range);
    const counts = new Map<Category, number>();
    for (const { action, count } of byAction) {
      const category = categoryOf(action);
      counts.set(category, (counts.get(category) ?? 0) + count);
    }
    return {
      totalEvents,
      before,
      byCategory: byCount(
        [...counts].map(([category, count]) => ({ category, count })),
        ({ category }) => category,
      ),
      byUser: users.map(({ userId, userName, actionCount }) => ({ userId, userName, actionCount })),
      range: { from: range.from?.toISOString() ?? null, to: range.to?.toISOString() ?? null },
    };
  },
});
