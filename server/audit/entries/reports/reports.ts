import { COMPLIANCE_ACTIONS, SECURITY_ACTIONS } from "@/server/audit/actions";
import { Tally } from "@/server/audit/entries/tally";
import { toFullEntry } from "@/server/audit/entries/to-entry";
import type { AuditFilter } from "@/server/audit/query/conditions";
import type { FullEntry } from "@/server/audit/schema";
import { rangeInput } from "@/server/audit/schema";
import type { Ctx } from "@/server/context";
import { operation } from "@/server/operation";
import { type ReportRow, readReportRows } from "./report-rows";
import {
  complianceReport,
  MAX_REPORT_ROWS,
  RECENT_ENTRIES,
  securityReport,
  statistics,
  TOP_USERS,
  userActivityReport,
} from "./report-schema";

type Span = { from: string | null; to: string | null };
/** span is that of the rows that were counted. */
type Counted = { tally: Tally; recent: FullEntry[]; truncated: boolean; span: Span };

function spanOf(rows: readonly ReportRow[]): Span {
  const at = (row: ReportRow | undefined) => (row ? new Date(row.ms).toISOString() : null);
  return { from: at(rows.at(-1)), to: at(rows[0]) };
}

/** Counts the newest rows that a report is about, at most MAX_REPORT_ROWS; one more is read to know of others. */
async function count(ctx: Ctx, filter: AuditFilter): Promise<Counted> {
  const found = await readReportRows(ctx, filter, { max: MAX_REPORT_ROWS + 1, recent: RECENT_ENTRIES });
  const tally = new Tally(found.names);
  const rows = found.rows.slice(0, MAX_REPORT_ROWS);
  for (const row of rows) tally.add(row);
  const truncated = found.rows.length > MAX_REPORT_ROWS;
  return { tally, recent: found.recent.map(toFullEntry), truncated, span: spanOf(rows) };
}

/** Who did how much (spec, report user-activity). */
export const reportUserActivity = operation({
  permission: "audit:read",
  input: rangeInput,
  output: userActivityReport,
  async run(ctx, { from, to }) {
    const { tally, recent, truncated, span } = await count(ctx, { from, to });
    const actionsPerUser = tally.users();
    return {
      totalUsers: actionsPerUser.length,
      totalEvents: tally.total,
      actionsPerUser,
      topUsers: actionsPerUser.slice(0, TOP_USERS),
      recentActivity: recent,
      truncated,
      ...span,
    };
  },
});

/** Sign-ins, permission and policy changes (spec, report security-events): security actions alone. */
export const reportSecurityEvents = operation({
  permission: "audit:read",
  input: rangeInput,
  output: securityReport,
  async run(ctx, { from, to }) {
    const { tally, recent, truncated, span } = await count(ctx, { from, to, actions: SECURITY_ACTIONS });
    const failedLogins = tally.actions.get("user.login.failed");
    return {
      totalEvents: tally.total,
      loginAttempts: tally.actions.get("user.login") + failedLogins,
      failedLogins,
      permissionChanges: tally.actions.get("user.permission.change"),
      byAction: tally.byAction(),
      recentEvents: recent,
      truncated,
      ...span,
    };
  },
});

/** Access to data and changes to what is governed (spec, report compliance): compliance actions alone. */
export const reportCompliance = operation({
  permission: "audit:read",
  input: rangeInput,
  output: complianceReport,
  async run(ctx, { from, to }) {
    const { tally, recent, truncated, span } = await count(ctx, { from, to, actions: COMPLIANCE_ACTIONS });
    const dataAccess = tally.actions.get("data.access");
    const exports = tally.actions.get("data.export");
    return {
      totalEvents: tally.total,
      dataAccess,
      dataChanges: tally.total - dataAccess - exports,
      exports,
      byAction: tally.byAction(),
      recentEvents: recent,
      truncated,
      ...span,
    };
  },
});

/** Events by category and actor (spec, stats). */
export const getStatistics = operation({
  permission: "audit:read",
  input: rangeInput,
  output: statistics,
  async run(ctx, { from, to }) {
    const { tally, truncated, span } = await count(ctx, { from, to });
    return {
      totalEvents: tally.total,
      byCategory: tally.byCategory(),
      byUser: tally.users().map(({ userId, userName, actionCount }) => ({ userId, userName, actionCount })),
      range: { from: from?.toISOString() ?? null, to: to?.toISOString() ?? null },
      truncated,
      ...span,
    };
  },
});
