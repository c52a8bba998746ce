import { actionLabel } from "@/server/audit/action-label";
import { FIGURES, figuresOf } from "@/server/audit/entries/reports/vocabulary";
import {
  wholeCompliance,
  wholeSecurityEvents,
  wholeStatistics,
  wholeUserActivity,
} from "@/server/audit/entries/reports/whole-reports";
import type { RangeInput } from "@/server/audit/schema";
import type { Ctx } from "@/server/ground/context";
import type { Written } from "./render";
import type { Report } from "./vocabulary";

type Body = Pick<Written, "figures" | "tables">;
type Totals = { totalEvents: number; before: number | null; submitted: number };

/** Entries of the range, those submitted by others, and, if the range has a start, those of the preceding range. */
const totals = ({ totalEvents, before, submitted }: Totals): [string, number][] => [
  ["Entries", totalEvents],
  ["Of these submitted by keys", submitted],
  ...(before === null ? [] : ([["Entries in the period before", before]] satisfies [string, number][])),
];

type OnActions = Totals & { byAction: readonly { action: string; count: number }[] };

const ofActions = (figures: ReturnType<typeof figuresOf>, report: OnActions): Body => ({
  figures: [...totals(report), ...figures.map(({ label, value }): [string, number] => [label, value])],
  tables: [
    {
      title: "Actions",
      head: ["Action", "Code", "Entries"],
      rows: report.byAction.map(({ action, count }) => [actionLabel(action), action, count]),
    },
  ],
});

const WRITERS: Record<Report, (ctx: Ctx, range: RangeInput) => Promise<Body>> = {
  async activity(ctx, range) {
    const report = await wholeUserActivity.run(ctx, range);
    const rows = report.actionsPerUser.map((u) => [u.userName, u.userEmail, u.actionCount, new Date(u.lastActiveAt)]);
    return {
      figures: [...totals(report), ["Active users", report.totalUsers]],
      tables: [{ title: "Active users", head: ["User", "E-mail", "Entries", "Last active"], rows }],
    };
  },
  async security(ctx, range) {
    const report = await wholeSecurityEvents.run(ctx, range);
    return ofActions(figuresOf(FIGURES.security, report), report);
  },
  async compliance(ctx, range) {
    const report = await wholeCompliance.run(ctx, range);
    return ofActions(figuresOf(FIGURES.compliance, report), report);
  },
  async statistics(ctx, range) {
    const report = await wholeStatistics.run(ctx, range);
    return {
      figures: totals(report),
      tables: [
        {
          title: "Categories",
          head: ["Category", "Entries"],
          rows: report.byCategory.map(({ category, count }) => [category, count]),
        },
        {
          title: "Users",
          head: ["User", "Entries"],
          rows: report.byUser.map(({ userName, actionCount }) => [userName, actionCount]),
        },
      ],
    };
  },
};

/** Counts a report over every entry of its range, as the page does. */
export const writeReport = (ctx: Ctx, report: Report, range: RangeInput): Promise<Body> => WRITERS[report](ctx, range);
