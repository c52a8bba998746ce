import { and, eq, lte, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { organizations, reportSchedules, users } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import type { Ctx } from "@/server/ground/context";
import { env } from "@/server/ground/env";
import { idFrom, newRequestId } from "@/server/ground/ids";
import type { JobKind } from "@/server/ground/jobs";
import { log } from "@/server/ground/log";
import { isMailConfigured } from "@/server/ground/mail";
import { narrow, reaches } from "@/server/ground/scope";
import { inOneLine } from "@/server/ground/text";
import { HOUR_MS } from "@/server/ground/time/durations";
import { findUserCaller } from "@/server/identity/auth/caller";
import { queueMail } from "@/server/notify/deliveries/queue";
import { lastPeriod, nextRun } from "./period";
import { render, type Written } from "./render";
import type { ScheduleRow } from "./schedules";
import { REPORT_LABEL } from "./vocabulary";
import { writeReport } from "./write";
import { aligned } from "./zone";

const CANNOT_BE_WRITTEN = "The report could not be written. It is tried again every hour.";
const t = reportSchedules;

/** Reason that a report may not be sent to its owner. */
class Refused extends Error {}
/** The person's reach shrank while the report was written, so it is written again. */
class Again extends Error {}

/** The person's current context, so that they only get data they may still see. */
async function contextOf({ userId, orgId }: ScheduleRow, now: Date): Promise<Ctx> {
  const caller = await findUserCaller(userId);
  if (!caller) throw new Refused("The user may not sign in any more.");
  if (caller.mustEnroll) throw new Refused("The user has to set up two-factor sign-in first.");
  if (!caller.permissions.has("audit:export")) throw new Refused("The user may not export audit logs any more.");
  if (orgId && !reaches(caller.scope, orgId)) throw new Refused("The organization is outside the user's reach now.");
  const ctx = { ...caller, ip: null, userAgent: null, requestId: newRequestId(), now: () => now };
  return narrow(ctx, orgId ?? undefined);
}

async function nameOf(tx: Tx, orgId: string | null): Promise<string> {
  if (!orgId) return "All organizations";
  const [row] = await tx.select({ name: organizations.name }).from(organizations).where(eq(organizations.id, orgId));
  return inOneLine(row?.name ?? "Unknown organization");
}

const zoneText = ({ timeZone, followsOrganization, orgId }: ScheduleRow): string =>
  followsOrganization
    ? `${timeZone}, the time zone of ${orgId ? "the organization" : "your own organization"}`
    : timeZone;

/** Zone in a page's address. */
const zoneParam = (zone: string): string => (zone === "UTC" ? "utc" : zone);

type Due = { schedule: ScheduleRow; range: { from: Date; to: Date } };

async function written(tx: Tx, ctx: Ctx, { schedule, range }: Due): Promise<Written> {
  const { report, orgId, timeZone } = schedule;
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone });
  const file = new Intl.DateTimeFormat("en-CA", { timeZone });
  const page = new URLSearchParams({
    report,
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    tz: zoneParam(timeZone),
    ...(orgId && { orgId }),
  });
  return {
    ...(await writeReport(ctx, report, { ...range, orgId: orgId ?? undefined })),
    title: REPORT_LABEL[report],
    timeZone,
    covers: `${await nameOf(tx, orgId)}, ${day.format(range.from)} to ${day.format(range.to)} (${zoneText(schedule)})`,
    link: `${env().NEXTAUTH_URL}/reports?${page}`,
    settings: `${env().NEXTAUTH_URL}/settings/notifications`,
    csvName: `${report}-${file.format(range.from)}-to-${file.format(range.to)}.csv`,
  };
}

/**
 * Records the export in each organization's log before the mail is finally queued, so that none is sent unrecorded. A
 * retry uses the same ids, so there is only one entry.
 */
function recordExport(ctx: Ctx, { schedule, range }: Due, homes: readonly string[]): void {
  const dateRange = { from: range.from.toISOString(), to: range.to.toISOString() };
  const details = { format: "mail", report: schedule.report, scheduleId: schedule.id, dateRange };
  for (const orgId of homes)
    record(ctx, {
      id: idFrom(schedule.id, dateRange.from, dateRange.to, orgId),
      action: "audit_logs.export",
      orgId,
      resourceType: "audit_log",
      resourceName: "Audit log",
      details,
    });
}

async function reachedIds(tx: Tx, { scope }: Ctx): Promise<readonly string[]> {
  if (scope.kind !== "system") return scope.orgIds;
  return (await tx.select({ id: organizations.id }).from(organizations)).map(({ id }) => id);
}

async function send(tx: Tx, due: Due, now: Date): Promise<void> {
  const ctx = await contextOf(due.schedule, now);
  const report = await written(tx, ctx, due);
  const { userId: id, partnerId, orgId } = due.schedule;
  // A person whose access has changed is skipped; a later change waits, finds the mail, and deletes it.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, id)).for("key share");
  const { scope } = await contextOf(due.schedule, now);
  if (!(await reachedIds(tx, ctx)).every((one) => reaches(scope, one))) throw new Again();
  const subject = `Trailmark: ${report.title}, ${report.covers}`;
  await queueMail(tx, { id, partnerId, orgId }, { type: "report", subject, at: now, mail: render(report) });
  recordExport(ctx, due, await reachedIds(tx, ctx));
}

/** Locks one due schedule; changes to it wait for the end of this transaction. */
async function lockDue(tx: Tx, now: Date): Promise<ScheduleRow | null> {
  const [row] = await tx
    .select()
    .from(t)
    .where(sql`${t.nextRunAt} <= ${now.toISOString()}::timestamptz`)
    .orderBy(t.nextRunAt)
    .limit(1)
    .for("update", { skipLocked: true });
  return row ?? null;
}

/**
 * Sends one due report. Runs missed while no server was up are replaced by one, of the newest whole week or month.
 * @returns false when none is due
 */
async function runOne(now: Date): Promise<boolean> {
  const begun: { schedule: ScheduleRow | null } = { schedule: null };
  try {
    return await asSystem(async (tx) => {
      begun.schedule = await lockDue(tx, now);
      if (begun.schedule) await runClaimed(tx, begun.schedule, now);
      return begun.schedule !== null;
    });
  } catch (error) {
    if (error instanceof Again) return runOne(now);
    if (!begun.schedule) throw error;
    await postpone(begun.schedule, error, now);
    return true;
  }
}

/** A report that cannot be written must not block others. */
async function postpone({ id }: ScheduleRow, error: unknown, now: Date): Promise<void> {
  log.warn({ err: error, scheduleId: id }, "a scheduled report could not be written; it will be tried again");
  const again = { lastError: CANNOT_BE_WRITTEN, nextRunAt: new Date(now.getTime() + HOUR_MS) };
  await asSystem((tx) =>
    tx
      .update(t)
      .set(again)
      .where(and(eq(t.id, id), lte(t.nextRunAt, now))),
  );
}

async function runClaimed(tx: Tx, claimed: ScheduleRow, now: Date): Promise<void> {
  const schedule = await aligned(tx, claimed);
  if (schedule.nextRunAt > now) return;
  const { cadence, timeZone } = schedule;
  let lastError: string | null = null;
  try {
    await send(tx, { schedule, range: lastPeriod(cadence, timeZone, now) }, now);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    lastError = error.message;
  }
  const nextRunAt = nextRun(cadence, timeZone, now);
  await tx.update(t).set({ lastRunAt: now, lastError, nextRunAt }).where(eq(t.id, schedule.id));
}

/** Sends every due report until `stopping`; without a mail server none, and later only the newest. */
export async function runDueReports(now = new Date(), stopping?: AbortSignal): Promise<number> {
  if (!isMailConfigured()) return 0;
  let sent = 0;
  while (!stopping?.aborted && (await runOne(now))) sent += 1;
  if (sent > 0) log.info({ reports: sent }, "scheduled reports");
  return sent;
}

export const reportJob: JobKind<object> = {
  name: "reports",
  cron: "* * * * *",
  atOnce: 1,
  maxAttempts: 1,
  async run(_, { signal }) {
    await runDueReports(new Date(), signal);
  },
};
