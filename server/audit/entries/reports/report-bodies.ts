import { categoryOf } from "@/server/audit/actions";
import type { FullEntry, RangeInput } from "@/server/audit/schema";
import type { Category } from "@/server/audit/vocabulary";
import { mapValues } from "@/server/ground/records";
import { type ActiveUser, TOP_USERS } from "./report-schema";
import { FIGURES } from "./vocabulary";

export type ByAction = { action: string; count: number }[];
/** Source of report figures: the newest entries (reports.ts) or all of them (whole-reports.ts). */
export type ReportCounts<User extends ActiveUser = ActiveUser> = {
  totalEvents: number;
  byAction: ByAction;
  users: User[];
  recent: FullEntry[];
};

/** Most frequent first, then by name. */
export const byCount = <T extends { count: number }>(counts: T[], nameOf: (one: T) => string): T[] =>
  counts.sort((a, b) => b.count - a.count || (nameOf(a) < nameOf(b) ? -1 : 1));

export function byCategory(byAction: ByAction): { category: Category; count: number }[] {
  const counts = new Map<Category, number>();
  for (const { action, count } of byAction) {
    const category = categoryOf(action);
    counts.set(category, (counts.get(category) ?? 0) + count);
  }
  return byCount(
    [...counts].map(([category, count]) => ({ category, count })),
    ({ category }) => category,
  );
}

export const activityBody = <User extends ActiveUser>({ totalEvents, users, recent }: ReportCounts<User>) => ({
  totalUsers: users.length,
  totalEvents,
  actionsPerUser: users,
  topUsers: users.slice(0, TOP_USERS),
  recentActivity: recent,
});

/** Body of a report on actions; each figure is a sum over some of them. */
const actionsBody =
  <F extends Record<string, { actions: readonly string[] }>>(figures: F) =>
  ({ totalEvents, byAction, recent }: ReportCounts) => ({
    totalEvents,
    ...mapValues(figures, ({ actions }) =>
      byAction.reduce((sum, { action, count }) => sum + (actions.includes(action) ? count : 0), 0),
    ),
    byAction,
    recentEvents: recent,
  });

export const securityBody = actionsBody(FIGURES.security);
export const complianceBody = actionsBody(FIGURES.compliance);

export const statisticsBody = <User extends ActiveUser>(
  { totalEvents, byAction, users }: ReportCounts<User>,
  { from, to }: RangeInput,
) => ({
  totalEvents,
  byCategory: byCategory(byAction),
  byUser: users.map(({ userEmail: _, lastActiveAt: __, ...user }) => user),
  range: { from: from?.toISOString() ?? null, to: to?.toISOString() ?? null },
});
