"use client";

import { displayName } from "@/components/audit/entry";
import { count } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { type Figure, Figures } from "@/components/ui/figures";
import { actionLabel } from "@/server/audit/action-label";
import { COMPLIANCE_ACTIONS, SECURITY_ACTIONS } from "@/server/audit/actions";
import { FIGURES, figuresOf } from "@/server/audit/entries/reports/vocabulary";
import { CATEGORY_LABEL } from "@/server/audit/vocabulary";
import { capitalized } from "@/server/ground/text";
import { type Count, Counts, Nothing, NumberLink } from "./counts";
import { actorFilter, actorKey, entriesHref, type ReportScope } from "./entries-href";
import { Recent } from "./recent";
import type { Reports } from "./shapes";

export type ViewProps<T> = { report: T; counted: ReportScope };

const MANY_TIMES = 10;

const CATEGORY_NAMES = new Map<string, string>(Object.entries(CATEGORY_LABEL));
/** Compares a total with the previous range of the same length; a range without a start has none. */
function comparison({ totalEvents, before }: { totalEvents: number; before: number | null }): string {
  if (before === null) return "all in the range";
  if (before === 0) return "none in the previous period";
  // A percentage of a very small number would be misleading.
  if (totalEvents > MANY_TIMES * before) return `${count(before)} in the previous period`;
  const change = Math.round(((totalEvents - before) / before) * 100);
  const words = change === 0 ? "as many as" : `${count(Math.abs(change))} % ${change > 0 ? "more" : "fewer"} than`;
  return `${words} in the previous period (${count(before)})`;
}

type Person = { userId: string; userName: string; userEmail?: string };
const personName = ({ userId, userName, userEmail }: Person): string => displayName(userName) || userEmail || userId;

type Link = (filter: ReturnType<typeof actorFilter>) => string | undefined;
const linker =
  (counted: ReportScope): Link =>
  (filter) =>
    filter ? entriesHref(filter, counted) : undefined;

type Linked = { label: string; value: number; href: string | undefined; note?: string };
const figure = ({ label, value, href, note }: Linked): Figure => ({
  label,
  value: <NumberLink href={href}>{value}</NumberLink>,
  note,
});

function actionCounts(byAction: { action: string; count: number }[], link: Link): Count[] {
  return byAction.map(({ action, count }) => ({
    key: action,
    name: capitalized(actionLabel(action)),
    detail: <code>{action}</code>,
    count,
    href: link({ actions: [action] }),
  }));
}

export function ActivityReport({ report, counted }: ViewProps<Reports["activity"]>) {
  const link = linker(counted);
  if (report.totalEvents === 0) return <Nothing />;
  const byKey = new Map(report.actionsPerUser.map((user) => [actorKey(user), user]));
  return (
    <>
      <Figures
        label="User activity in numbers"
        items={[
          figure({ label: "Entries", value: report.totalEvents, href: link({}), note: comparison(report) }),
          figure({
            label: "Active users",
            value: report.totalUsers,
            href: link({}),
            note: "people, keys, agents and the system",
          }),
          ...report.topUsers.slice(0, 1).map((user) => ({
            label: "Top user by entries",
            value: personName(user),
            note: (
              <NumberLink href={link(actorFilter(user))} unit="entries">
                {user.actionCount}
              </NumberLink>
            ),
          })),
        ]}
      />
      <Counts
        title="Entries by user"
        head="User"
        counts={report.actionsPerUser.map((user) => ({
          key: actorKey(user),
          name: personName(user),
          detail: user.userEmail !== user.userName ? user.userEmail : undefined,
          count: user.actionCount,
          href: link(actorFilter(user)),
        }))}
        more={[
          {
            header: "Last active",
            width: 200,
            minor: true,
            cell: (c) => <When at={byKey.get(c.key)?.lastActiveAt ?? null} />,
          },
        ]}
      />
      <Recent entries={report.recentActivity} />
    </>
  );
}

type OnActions = ViewProps<Reports["security" | "compliance"]> & {
  label: string;
  /** What the report counts, in the plural. */
  events: string;
  actions: readonly string[];
  figures: ReturnType<typeof figuresOf>;
};

function ActionsReport({ report, counted, label, events, actions, figures }: OnActions) {
  const link = linker(counted);
  if (report.totalEvents === 0) return <Nothing />;
  const total = { label: events, value: report.totalEvents, actions, note: comparison(report) };
  return (
    <>
      <Figures
        label={label}
        items={[total, ...figures].map(({ actions, ...one }) => figure({ ...one, href: link({ actions }) }))}
      />
      <Counts title={`${events} by action`} head="Action" counts={actionCounts(report.byAction, link)} />
      <Recent entries={report.recentEvents} />
    </>
  );
}

export const SecurityReport = (props: ViewProps<Reports["security"]>) => (
  <ActionsReport
    {...props}
    label="Security events in numbers"
    events="Security events"
    actions={SECURITY_ACTIONS}
    figures={figuresOf(FIGURES.security, props.report)}
  />
);

export const ComplianceReport = (props: ViewProps<Reports["compliance"]>) => (
  <ActionsReport
    {...props}
    label="Compliance in numbers"
    events="Compliance events"
    actions={COMPLIANCE_ACTIONS}
    figures={figuresOf(FIGURES.compliance, props.report)}
  />
);

export function StatisticsReport({ report, counted }: ViewProps<Reports["statistics"]>) {
  const link = linker(counted);
  if (report.totalEvents === 0) return <Nothing />;
  return (
    <>
      <Figures
        label="Statistics"
        items={[
          figure({ label: "Entries", value: report.totalEvents, href: link({}), note: comparison(report) }),
          figure({ label: "Categories", value: report.byCategory.length, href: link({}) }),
          figure({ label: "Active users", value: report.byUser.length, href: link({}) }),
          {
            label: "Range",
            value: <When at={report.range.from} none="The beginning" dateOnly />,
            note: (
              <>
                to <When at={report.range.to} none="now" dateOnly />
              </>
            ),
          },
        ]}
      />
      <Counts
        title="Entries by category"
        head="Category"
        counts={report.byCategory.map(({ category, count }) => ({
          key: category,
          name: CATEGORY_NAMES.get(category) ?? capitalized(category),
          count,
          href: link({ category: [category] }),
        }))}
      />
      <Counts
        title="Entries by user"
        head="User"
        counts={report.byUser.map((user) => ({
          key: actorKey(user),
          name: personName(user),
          count: user.actionCount,
          href: link(actorFilter(user)),
        }))}
      />
    </>
  );
}
