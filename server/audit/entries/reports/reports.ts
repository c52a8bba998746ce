import type { z } from "zod";
import { COMPLIANCE_ACTIONS, SECURITY_ACTIONS } from "@/server/audit/actions";
import { actorName, toFullEntry, UNKNOWN_USER } from "@/server/audit/entries/to-entry";
import type { AuditFilter } from "@/server/audit/query/conditions";
import { type RangeInput, rangeInput } from "@/server/audit/schema";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import {
  activityBody,
  type ByAction,
  byCount,
  complianceBody,
  type ReportCounts,
  securityBody,
  statisticsBody,
} from "./report-bodies";
import { type ActorNames, actorKey, type ReportRow, readReportRows } from "./report-rows";
import {
  type ActiveUser,
  activityInput,
  complianceReport,
  MAX_REPORT_ROWS,
  securityReport,
  statistics,
  userActivityReport,
} from "./report-schema";

const NO_NAMES: ActorNames = { user_name: null, user_email: null, key_name: null, hostname: null };

/** Counts rows of a report, newest first, by actor and action. */
export class Tally {
  readonly #actions = new Map<string, number>();
  readonly #users = new Map<string, ActiveUser>();

  constructor(private readonly names: ReadonlyMap<string, ActorNames>) {}

  add(row: ReportRow): void {
    this.#actions.set(row.action, (this.#actions.get(row.action) ?? 0) + 1);
    const key = actorKey(row);
    const known = this.#users.get(key);
    if (known) {
      known.actionCount++;
      known.userEmail ||= row.actor_email ?? "";
      if (known.userName === UNKNOWN_USER) known.userName = row.actor_email || UNKNOWN_USER;
      return;
    }
    const named = this.names.get(key) ?? NO_NAMES;
    this.#users.set(key, {
      userId: row.raw_id ?? row.actor_id,
      userName: actorName({ ...row, ...named }, { rawActorId: row.raw_id }),
      userEmail: row.actor_email ?? named.user_email ?? "",
      actionCount: 1,
      lastActiveAt: new Date(row.ms).toISOString(),
    });
  }

  /** Actors, most active first. */
  users(): ActiveUser[] {
    return [...this.#users.values()].sort(
      (a, b) => b.actionCount - a.actionCount || (a.lastActiveAt < b.lastActiveAt ? 1 : -1),
    );
  }

  byAction(): ByAction {
    return byCount(
      [...this.#actions].map(([action, count]) => ({ action, count })),
      ({ action }) => action,
    );
  }
}

type Span = { from: string | null; to: string | null };
/** from and to span the counted rows. */
type Counted = {
  counts: ReportCounts;
  reach: Span & Pick<ReportCounts, "totalEvents"> & { submitted: number; truncated: boolean };
};

function spanOf(rows: readonly ReportRow[]): Span {
  const at = (row: ReportRow | undefined) => (row ? new Date(row.ms).toISOString() : null);
  return { from: at(rows.at(-1)), to: at(rows[0]) };
}

/** Counts the newest rows of a report, at most MAX_REPORT_ROWS, and reads one more to detect others. */
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
    // `truncated` tells that the total is cut.
    reach: {
      totalEvents: rows.length,
      truncated: found.rows.length > MAX_REPORT_ROWS,
      submitted: rows.filter(({ submitted }) => submitted).length,
      ...spanOf(rows),
    },
  };
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
