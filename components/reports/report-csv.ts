import { FIGURES, figuresOf } from "@/server/audit/entries/reports/vocabulary";
import type { Cell } from "@/server/ground/csv";
import type { Report } from "@/server/notify/report-schedules/vocabulary";
import type { Reports } from "./report-range";

type Rows = Cell[][];

const entries = (title: string, list: Reports["security"]["recentEvents"]): Rows => [
  [],
  [title],
  ["time", "actor", "action", "resource", "result"],
  ...list.map((e) => [e.timestamp, e.user.name || e.user.email, e.action, e.resource.name, e.result]),
];

const ofActions = (figures: ReturnType<typeof figuresOf>, r: Reports["security" | "compliance"]): Rows => [
  ...figures.map(({ label, value }) => [label.toLowerCase(), value]),
  [],
  ["action", "entries"],
  ...r.byAction.map((a) => [a.action, a.count]),
  ...entries("most recent", r.recentEvents),
];

const WRITERS: { [K in Report]: (report: Reports[K]) => Rows } = {
  activity: (r) => [
    ["total users", r.totalUsers],
    [],
    ["user", "e-mail", "entries", "last active"],
    ...r.actionsPerUser.map((u) => [u.userName, u.userEmail, u.actionCount, u.lastActiveAt]),
    ...entries("most recent", r.recentActivity),
  ],
  security: (r) => [
    ...(r.newAddresses === null ? [] : [["new addresses", r.newAddresses]]),
    ...ofActions(figuresOf(FIGURES.security, r), r),
  ],
  compliance: (r) => ofActions(figuresOf(FIGURES.compliance, r), r),
  statistics: (r) => [
    ["category", "entries"],
    ...r.byCategory.map((c) => [c.category, c.count]),
    [],
    ["user", "entries"],
    ...r.byUser.map((u) => [u.userName, u.actionCount]),
  ],
};

/** A report as CSV rows: range and scope, figures, tables. */
export function csvOf<K extends Report>(kind: K, report: Reports[K], covers: string): Rows {
  return [
    ["covers", covers],
    ["entries", report.totalEvents],
    ["of these submitted by keys", report.submitted],
    ...(report.before === null ? [] : [["entries in the previous period", report.before]]),
    ...WRITERS[kind](report),
  ];
}
