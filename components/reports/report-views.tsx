"use client";

import { nameInWords } from "@/components/audit/entry";
import { count } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { type Figure, Figures } from "@/components/ui/figures";
import { actionLabel } from "@/server/audit/action-label";
import { COMPLIANCE_ACTIONS, SECURITY_ACTIONS } from "@/server/audit/actions";
import { CATEGORY_LABEL } from "@/server/audit/vocabulary";
import { capitalized } from "@/server/text";
import { type Count, Counts, Nothing, NumberLink } from "./counts";
import { Recent } from "./recent";
import { actorFilter, type Counted, rowsBehind } from "./rows-behind";
import type { Reports } from "./shapes";

export type ViewProps<T> = { report: T; counted: Counted };

const MANY_TIMES = 10;

const CATEGORY_NAMES = new Map<string, string>(Object.entries(CATEGORY_LABEL));
/** How a total compares with the range of the same length before; nothing where the range has no beginning. */
function compared({ totalEvents, before }: { totalEvents: number; before: number | null }): string {
  if (before === null) return "all in the range";
  if (before === 0) return "none in the previous period";
  // A percentage of a handful says nothing that the number itself does not say better.
  if (totalEvents > MANY_TIMES * before) return `${count(before)} in the previous period`;
  const change = Math.round(((totalEvents - before) / before) * 100);
  const words = change === 0 ? "as many as" : `${count(Math.abs(change))} % ${change > 0 ? "more" : "fewer"} than`;
  return `${words} in the previous period (${count(before)})`;
}

const anyOf = (actions: readonly string[]) => ({ actions: actions.join(",") });
const CHANGES = COMPLIANCE_ACTIONS.filter((action) => action !== "data.access" && action !== "data.export");

type Person = { userId: string; userName: string; userEmail?: string };
const whoIs = ({ userId, userName, userEmail }: Person): string => nameInWords(userName) || userEmail || userId;

type Link = (filter: Parameters<typeof rowsBehind>[0]) => string;
const linker =
  (counted: Counted): Link =>
  (filter) =>
    rowsBehind(filter, counted);

type Linked = { label: string; value: number; href: string; note?: string };
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
    href: link({ actions: action }),
  }));
}

export function ActivityReport({ report, counted }: ViewProps<Reports["activity"]>) {
  const link = linker(counted);
  if (report.totalEvents === 0) return <Nothing />;
  const byKey = new Map(report.actionsPerUser.map((user) => [user.userId, user]));
  return (
    <>
      <Figures
        label="User activity in numbers"
        items={[
          figure({ label: "Entries", value: report.totalEvents, href: link({}), note: compared(report) }),
          figure({
            label: "Active users",
            value: report.totalUsers,
            href: link({}),
            note: "people, keys, agents and the system",
          }),
          ...report.topUsers.slice(0, 1).map((user) => ({
            label: "Top user by entries",
            value: whoIs(user),
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
          key: user.userId,
          name: whoIs(user),
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

export function SecurityReport({ report, counted }: ViewProps<Reports["security"]>) {
  const link = linker(counted);
  if (report.totalEvents === 0) return <Nothing />;
  return (
    <>
      <Figures
        label="Security events in numbers"
        items={[
          figure({
            label: "Security events",
            value: report.totalEvents,
            href: link(anyOf(SECURITY_ACTIONS)),
            note: compared(report),
          }),
          figure({
            label: "Sign-in attempts",
            value: report.loginAttempts,
            href: link(anyOf(["user.login", "user.login.failed"])),
          }),
          figure({ label: "Failed sign-ins", value: report.failedLogins, href: link(anyOf(["user.login.failed"])) }),
          figure({
            label: "Permission changes",
            value: report.permissionChanges,
            href: link(anyOf(["user.permission.change"])),
          }),
        ]}
      />
      <Counts title="Security events by action" head="Action" counts={actionCounts(report.byAction, link)} />
      <Recent entries={report.recentEvents} />
    </>
  );
}

export function ComplianceReport({ report, counted }: ViewProps<Reports["compliance"]>) {
  const link = linker(counted);
  if (report.totalEvents === 0) return <Nothing />;
  return (
    <>
      <Figures
        label="Compliance in numbers"
        items={[
          figure({
            label: "Compliance events",
            value: report.totalEvents,
            href: link(anyOf(COMPLIANCE_ACTIONS)),
            note: compared(report),
          }),
          figure({ label: "Data accesses", value: report.dataAccess, href: link(anyOf(["data.access"])) }),
          figure({
            label: "Changes",
            value: report.dataChanges,
            href: link(anyOf(CHANGES)),
            note: "every other action below",
          }),
          figure({ label: "Data exports", value: report.exports, href: link(anyOf(["data.export"])) }),
        ]}
      />
      <Counts title="Compliance events by action" head="Action" counts={actionCounts(report.byAction, link)} />
      <Recent entries={report.recentEvents} />
    </>
  );
}

export function StatisticsReport({ report, counted }: ViewProps<Reports["statistics"]>) {
  const link = linker(counted);
  if (report.totalEvents === 0) return <Nothing />;
  return (
    <>
      <Figures
        label="Statistics"
        items={[
          figure({ label: "Entries", value: report.totalEvents, href: link({}), note: compared(report) }),
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
          href: link({ category }),
        }))}
      />
      <Counts
        title="Entries by user"
        head="User"
        counts={report.byUser.map((user) => ({
          key: user.userId,
          name: whoIs(user),
          count: user.actionCount,
          href: link(actorFilter(user)),
        }))}
      />
    </>
  );
}
