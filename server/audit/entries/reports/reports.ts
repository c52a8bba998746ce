import type { z } from "zod";
import { layout } from "@/db/citus/layout";
import { tenantRead } from "@/db/read";
import { COMPLIANCE_ACTIONS, SECURITY_ACTIONS } from "@/server/audit/actions";
import { toFullEntry } from "@/server/audit/entries/to-entry";
import type { AuditFilter } from "@/server/audit/query/conditions";
import { planFor } from "@/server/audit/query/plan";
import { ENTRY, type Found, keyRows, rowsByKey } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search";
import { type RangeInput, rangeInput } from "@/server/audit/schema";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { activityBody, complianceBody, type ReportCounts, securityBody, statisticsBody } from "./report-bodies";
import { countsOf } from "./report-counts";
import {
  activityInput,
  complianceReport,
  MAX_REPORT_ROWS,
  RECENT_ENTRIES,
  securityReport,
  statistics,
  userActivityReport,
} from "./report-schema";

type Span = { from: string | null; to: string | null };
/** from and to span the counted rows. */
type Counted = { counts: ReportCounts; reach: Span & { totalEvents: number; submitted: number; truncated: boolean } };

/** Counts the newest rows of a report, at most MAX_REPORT_ROWS, and reads one more to detect others. */
async function count(ctx: Ctx, filter: AuditFilter): Promise<Counted> {
  return tenantRead(ctx.scope, async (tx) => {
    const { keys } = await findKeys(tx, await planFor(tx, ctx, filter), { need: MAX_REPORT_ROWS + 1 });
    const counted = keys.slice(0, MAX_REPORT_ROWS);
    const { byAction, users, submitted } = await countsOf(tx, layout().rowsAt(keyRows(counted)));
    const at = (key: Found | undefined) => (key ? new Date(key.ms).toISOString() : null);
    return {
      counts: {
        totalEvents: counted.length,
        byAction,
        users: users.map(({ actorType: _, ...user }) => user),
        recent: (await rowsByKey(tx, counted.slice(0, RECENT_ENTRIES), ENTRY)).map(toFullEntry),
      },
      // `truncated` tells that the total is cut.
      reach: {
        totalEvents: counted.length,
        truncated: keys.length > MAX_REPORT_ROWS,
        submitted,
        from: at(counted.at(-1)),
        to: at(counted[0]),
      },
    };
  });
}

type Reach = Counted["reach"];
type Body<B> = (counts: ReportCounts, range: RangeInput) => B;

/** A report of the newest entries in the range, optionally of some actions. */
const reportOf = <B>(output: z.ZodType<B & Reach>, body: Body<B>, actions?: readonly string[]) =>
  operation({
    permission: "audit:read",
    input: rangeInput,
    output,
    async run(ctx, range) {
      const { counts, reach } = await count(ctx, { from: range.from, to: range.to, ...(actions && { actions }) });
      return { ...reach, ...body(counts, range) };
    },
  });

/** Activity by actor (spec, report user-activity). */
export const reportUserActivity = operation({
  permission: "audit:read",
  input: activityInput,
  output: userActivityReport,
  async run(ctx, { routine, ...range }) {
    const filter = { from: range.from, to: range.to, ...(routine === "without" && { routine }) };
    const { counts, reach } = await count(ctx, filter);
    return { ...reach, ...activityBody(counts) };
  },
});
/** Sign-ins, permission and policy changes (spec, report security-events). */
export const reportSecurityEvents = reportOf(securityReport, securityBody, SECURITY_ACTIONS);
/** Access to data and changes to governed settings (spec, report compliance). */
export const reportCompliance = reportOf(complianceReport, complianceBody, COMPLIANCE_ACTIONS);
/** Events by category and actor (spec, stats). */
export const getStatistics = reportOf(statistics, statisticsBody);
