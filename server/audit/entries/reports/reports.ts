import { COMPLIANCE_ACTIONS, SECURITY_ACTIONS } from "@/server/audit/actions";
import { Tally } from "@/server/audit/entries/tally";
import { toFullEntry } from "@/server/audit/entries/to-entry";
import type { AuditFilter } from "@/server/audit/query/conditions";
import { rangeInput } from "@/server/audit/schema";
import type { Ctx } from "@/server/context";
import { operation } from "@/server/operation";
import { activityBody, complianceBody, type ReportCounts, securityBody, statisticsBody } from "./report-bodies";
import { type ReportRow, readReportRows } from "./report-rows";
import { complianceReport, MAX_REPORT_ROWS, securityReport, statistics, userActivityReport } from "./report-schema";

type Span = { from: string | null; to: string | null };
/** from and to are those of the rows that were counted. */
type Counted = { counts: ReportCounts; reach: Span & { truncated: boolean } };

function spanOf(rows: readonly ReportRow[]): Span {
  const at = (row: ReportRow | undefined) => (row ? new Date(row.ms).toISOString() : null);
  return { from: at(rows.at(-1)), to: at(rows[0]) };
}

/** Counts the newest rows that a report is about, at most MAX_REPORT_ROWS; one more is read to know of others. */
async function count(ctx: Ctx, filter: AuditFilter): Promise<Counted> {
  const found = await readReportRows(ctx, filter, MAX_REPORT_ROWS + 1);
  const tally = new Tally(found.names);
  const rows = found.rows.slice(0, MAX_REPORT_ROWS);
  for (const row of rows) tally.add(row);
  return {
    counts: {
      totalEvents: rows.length,
      byAction: tally.byAction(),
      users: tally.users(),
      recent: found.recent.map(toFullEntry),
    },
    reach: { truncated: found.rows.length > MAX_REPORT_ROWS, ...spanOf(rows) },
  };
}

/** Who did how much (spec, report user-activity). */
export const reportUserActivity = operation({
  permission: "audit:read",
  input: rangeInput,
  output: userActivityReport,
  async run(ctx, { from, to }) {
    const { counts, reach } = await count(ctx, { from, to });
    return { ...activityBody(counts), ...reach };
  },
});

/** Sign-ins, permission and policy changes (spec, report security-events): security actions alone. */
export const reportSecurityEvents = operation({
  permission: "audit:read",
  input: rangeInput,
  output: securityReport,
  async run(ctx, { from, to }) {
    const { counts, reach } = await count(ctx, { from, to, actions: SECURITY_ACTIONS });
    return { ...securityBody(counts), ...reach };
  },
});

/** Access to data and changes to what is governed (spec, report compliance): compliance actions alone. */
export const reportCompliance = operation({
  permission: "audit:read",
  input: rangeInput,
  output: complianceReport,
  async run(ctx, { from, to }) {
    const { counts, reach } = await count(ctx, { from, to, actions: COMPLIANCE_ACTIONS });
    return { ...complianceBody(counts), ...reach };
  },
});

/** Events by category and actor (spec, stats). */
export const getStatistics = operation({
  permission: "audit:read",
  input: rangeInput,
  output: statistics,
  async run(ctx, { from, to }) {
    const { counts, reach } = await count(ctx, { from, to });
    return { ...statisticsBody(counts, { from, to }), ...reach };
  },
});
