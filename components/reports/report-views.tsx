"use client";

import type { Entry } from "@/components/audit/entry";
import type { RangeView } from "@/components/audit/filters/range-choices";
import { EntryRecords } from "@/components/audit/table/entry-link";
import { count } from "@/components/format/amounts";
import { shortDate } from "@/components/format/time";
import { When } from "@/components/format/when";
import { zoneParam } from "@/components/format/zone-param";
import { type Figure, Figures } from "@/components/ui/figures";
import { Section } from "@/components/ui/page-header";
import { actionLabel } from "@/server/audit/action-label";
import { COMPLIANCE_ACTIONS, SECURITY_ACTIONS } from "@/server/audit/actions";
import { FIGURES, figuresOf, NOTABLE_SECURITY_ACTIONS } from "@/server/audit/entries/reports/vocabulary";
import { joinValues } from "@/server/audit/query/values";
import { displayName } from "@/server/audit/sentence";
import { type ActorType, CATEGORY_LABEL } from "@/server/audit/vocabulary";
import { capitalized, GUID } from "@/server/ground/text";
import { type Count, Counts, CountTable, Nothing, NumberLink } from "./chart";
import type { Counting, ReportInput, Reports } from "./report-range";
import classes from "./reports.module.css";
import { ByHour, Trend } from "./trend";

function Recent({ entries }: { entries: Entry[] }) {
  if (entries.length === 0) return null;
  return (
    <Section title="Most recent" flush>
      <EntryRecords caption="The most recent entries" entries={entries} />
    </Section>
  );
}

type Filter = Partial<
  Record<"actorId" | "rawActorId" | "actions" | "category" | "actorType" | "result" | "new", readonly string[]>
>;

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

/** Actors without an id are only distinguished by type. */
type ReportedActor = { userId: string; actorType: ActorType };

export const actorKey = ({ userId, actorType }: ReportedActor): string => `${actorType}:${userId}`;

/**
 * Filter for an actor's entries; null for actors without any identification, which no filter can tell from others of
 * their type. The system itself has no id.
 */
export function actorFilter({ userId, actorType }: ReportedActor): Filter | null {
  if (userId !== NO_USER) return { [GUID.test(userId) ? "actorId" : "rawActorId"]: [userId] };
  return actorType === "system" ? { actorType: [actorType] } : null;
}

/** input: the report's request. */
export type ViewProps<T> = { report: T; counted: ReportScope; input: ReportInput & Counting; readAt: number };

const MANY_TIMES = 10;

const CATEGORY_NAMES = new Map<string, string>(Object.entries(CATEGORY_LABEL));
type Totals = { totalEvents: number; before: number | null; logBegins: string | null; submitted: number };

/** Number of earlier entries, and of entries submitted by others. */
const totalNote = (totals: Totals, zone: string): string =>
  totals.submitted > 0
    ? `${comparison(totals, zone)}; of these ${count(totals.submitted)} ${totals.submitted === 1 ? "was" : "were"} submitted by keys`
    : comparison(totals, zone);

/** Compares a total with the previous range of the same length; a range without a start has none. */
function comparison({ totalEvents, before, logBegins }: Totals, zone: string): string {
  if (before === null) return "all in the range";
  if (before === 0)
    return logBegins ? `no entries before ${shortDate(logBegins, zone)}` : "none in the previous period";
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

type OverTimeProps = {
  report: Totals & { byHour: number[]; denied: { action: string; count: number }[] };
  filter: { actions?: string[]; actorType?: ActorType[] };
} & Omit<ViewProps<unknown>, "report">;

/** Entries of a report over time, and the denied ones. */
function OverTime({ report, filter, counted, input: { orgId, from, to }, readAt }: OverTimeProps) {
  const range = { ...(orgId && { orgId }), ...(from && { from }), ...(to && { to }) };
  return (
    <>
      <div className={classes.pair}>
        <Section title="Over time">
          <Trend range={range} filter={filter} before={report.before} readAt={readAt} />
        </Section>
        <ByHour hours={report.byHour} />
      </div>
      <Denied denied={report.denied} filter={filter} counted={counted} />
    </>
  );
}

const SHOWN_DENIED = 5;
type DeniedProps = Pick<OverTimeProps, "filter" | "counted"> & { denied: OverTimeProps["report"]["denied"] };

function Denied({ denied, filter: { actorType }, counted }: DeniedProps) {
  if (denied.length === 0) return null;
  const link: Link = (filter) =>
    entriesHref({ ...filter, result: ["denied"], ...(actorType && { actorType }) }, counted);
  const counts = actionCounts(denied.slice(0, SHOWN_DENIED), link);
  return (
    <Section title="Denied most often" flush>
      <CountTable title="Denied most often" heads={["Action", "Denied"]} counts={counts} />
    </Section>
  );
}

const PEOPLE: ActorType[] = ["user"];

export function ActivityReport({ report, ...view }: ViewProps<Reports["activity"]>) {
  const { counted, input } = view;
  const filter = input.only ? { actorType: PEOPLE } : {};
  const link = linker(counted);
  if (report.totalEvents === 0) return <Nothing />;
  const byKey = new Map(report.actionsPerUser.map((user) => [actorKey(user), user]));
  return (
    <>
      <Figures
        label="User activity in numbers"
        items={[
          figure({
            label: input.only ? "Entries by people" : "Entries",
            value: report.totalEvents,
            href: link(filter),
            note: totalNote(report, input.zone),
          }),
          figure({
            label: input.only ? "Active users" : "Active actors",
            value: report.totalUsers,
            href: link(filter),
            note: input.only ? "people with an account" : "people, keys, agents and the system",
          }),
          ...report.topUsers.slice(0, 1).map((user) => ({
            label: input.only ? "Most active user" : "Most active",
            value: personName(user),
            note: (
              <NumberLink href={link(actorFilter(user))} unit="entries">
                {user.actionCount}
              </NumberLink>
            ),
          })),
        ]}
      />
      <OverTime report={report} filter={filter} {...view} />
      <Counts
        title={input.only ? "Entries by user" : "Entries by actor"}
        head={input.only ? "User" : "Actor"}
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
  /** Counted events, in the plural. */
  events: string;
  actions: readonly string[];
  figures: ReturnType<typeof figuresOf>;
  more?: Figure[];
};

function ActionsReport({ report, label, events, actions, figures, more = [], ...view }: OnActions) {
  const link = linker(view.counted);
  if (report.totalEvents === 0) return <Nothing />;
  const total = { label: events, value: report.totalEvents, actions, note: totalNote(report, view.input.zone) };
  return (
    <>
      <Figures
        label={label}
        items={[
          ...[total, ...figures].map(({ actions, ...one }) => figure({ ...one, href: link({ actions }) })),
          ...more,
        ]}
      />
      <OverTime report={report} filter={{ actions: [...actions] }} {...view} />
      <Counts title={`${events} by action`} head="Action" counts={actionCounts(report.byAction, link)} />
      <Recent entries={report.recentEvents} />
    </>
  );
}

function newAddresses({ report, counted }: ViewProps<Reports["security"]>): Figure[] {
  if (report.newAddresses === null) return [];
  const href = entriesHref({ new: ["address"], actorType: PEOPLE }, counted);
  const note = "entries of people from an address not seen with them before";
  return [figure({ label: "New addresses", value: report.newAddresses, href, note })];
}

export const SecurityReport = (props: ViewProps<Reports["security"]>) => (
  <ActionsReport
    {...props}
    label="Security events in numbers"
    events="Security events"
    actions={props.input.routine ? NOTABLE_SECURITY_ACTIONS : SECURITY_ACTIONS}
    figures={figuresOf(FIGURES.security, props.report)}
    more={newAddresses(props)}
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

export function StatisticsReport({ report, ...view }: ViewProps<Reports["statistics"]>) {
  const { counted, input } = view;
  const link = linker(counted);
  if (report.totalEvents === 0) return <Nothing />;
  return (
    <>
      <Figures
        label="Statistics"
        items={[
          figure({ label: "Entries", value: report.totalEvents, href: link({}), note: totalNote(report, input.zone) }),
          figure({ label: "Categories", value: report.byCategory.length, href: link({}) }),
          figure({ label: "Active actors", value: report.byUser.length, href: link({}) }),
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
      <OverTime report={report} filter={{}} {...view} />
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
        title="Entries by actor"
        head="Actor"
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
