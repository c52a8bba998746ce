"use client";

import { displayName, type Entry } from "@/components/audit/entry";
import type { RangeView } from "@/components/audit/filters/range-choices";
import { ResultBadge } from "@/components/audit/result-badge";
import { EntryLink } from "@/components/audit/table/entry-link";
import { count } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { zoneParam } from "@/components/format/zone-param";
import { type Figure, Figures } from "@/components/ui/figures";
import { Section } from "@/components/ui/page-header";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { actionLabel } from "@/server/audit/action-label";
import { COMPLIANCE_ACTIONS, SECURITY_ACTIONS } from "@/server/audit/actions";
import { FIGURES, figuresOf } from "@/server/audit/entries/reports/vocabulary";
import { joinValues } from "@/server/audit/query/values";
import { type ActorType, CATEGORY_LABEL } from "@/server/audit/vocabulary";
import { capitalized, GUID } from "@/server/ground/text";
import { type Count, Counts, Nothing, NumberLink } from "./chart";
import type { Reports } from "./shapes";

const columns: Column<Entry>[] = [
  {
    header: "Entry",
    cell: (e) => <EntryLink entry={e} />,
  },
  { header: "Time", cell: (e) => <When at={e.timestamp} />, width: 200 },
  { header: "Result", cell: (e) => <ResultBadge result={e.result} />, width: 120 },
];

/** The newest entries of a report. */
function Recent({ entries }: { entries: Entry[] }) {
  if (entries.length === 0) return null;
  return (
    <Section title="Most recent" flush>
      <RecordTable caption="The most recent entries" columns={columns} rows={entries} rowKey={(e) => e.id} />
    </Section>
  );
}

type Filter = Partial<Record<"actorId" | "rawActorId" | "actions" | "category" | "actorType", readonly string[]>>;

/**
 * The entries a report counts: its range, the zone it is read in (null: the user's own), and one organization or all.
 */
export type ReportScope = { range: RangeView; tz: string | null; orgId: string | undefined };

/** The URL of the audit log with the entries behind a number: the report's range and scope plus a filter. */
export function entriesHref(filter: Filter, { range, tz, orgId }: ReportScope): string {
  const query = new URLSearchParams(Object.entries(filter).map(([name, values]) => [name, joinValues(values)]));
  if (range.range) query.set("range", range.range);
  if (range.from) query.set("from", range.from.toISOString());
  if (range.to) query.set("to", range.to.toISOString());
  if (tz) query.set("tz", zoneParam.serialize(tz));
  if (orgId) query.set("orgId", orgId);
  const text = query.toString();
  return text ? `/?${text}` : "/";
}

const NO_USER = "00000000-0000-0000-0000-000000000000";

/** Of several actors without an id each has its type alone. */
type ReportedActor = { userId: string; actorType: ActorType };

/** Distinguishes the actors of a report. */
export const actorKey = ({ userId, actorType }: ReportedActor): string => `${actorType}:${userId}`;

/**
 * The filter for an actor's entries; null for those whom nothing names: no filter tells them from others of their type
 * whose ids are foreign. The system itself has no id.
 */
export function actorFilter({ userId, actorType }: ReportedActor): Filter | null {
  if (userId !== NO_USER) return { [GUID.test(userId) ? "actorId" : "rawActorId"]: [userId] };
  return actorType === "system" ? { actorType: [actorType] } : null;
}

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
