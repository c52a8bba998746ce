import { and, asc, count, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { oneOf } from "@/db/rows";
import { reportSchedules } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { AppError, notFound } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { countInTurn } from "@/server/ground/limits/quota";
import { isMailConfigured } from "@/server/ground/mail";
import { operation } from "@/server/ground/operation";
import { partnerOfOrg } from "@/server/ground/partner";
import { answerOf } from "@/server/ground/records";
import { ownOrg, ownPartner } from "@/server/ground/scope";
import { onlyIdInput } from "@/server/ground/wire";
import { requirePerson } from "@/server/identity/auth/person";
import { nextRun } from "./period";
import { createInput, listInput, reportSchedule, reportSchedulePage } from "./schema";
import { REPORT_LABEL } from "./vocabulary";
import { zoneFor } from "./zone";

const t = reportSchedules;
export type ScheduleRow = typeof t.$inferSelect;

/** More schedules than this are probably forgotten ones. */
const MAX_SCHEDULES = 50;

const about = (row: ScheduleRow) => ({
  ...(row.orgId && { orgId: row.orgId }),
  ...resourceOf("report_schedule", { id: row.id, name: REPORT_LABEL[row.report] }),
});
const auditable = ({ report, cadence, timeZone, followsOrganization, orgId }: ScheduleRow) => ({
  report,
  cadence,
  timeZone,
  followsOrganization,
  orgId,
});

/**
 * The caller's own report schedules, oldest first.
 * @throws AppError forbidden for programs
 */
export const listSchedules = operation({
  permission: "audit:export",
  input: listInput,
  output: reportSchedulePage,
  run(ctx, input) {
    const where = eq(t.userId, requirePerson(ctx).id);
    return tenant(ctx.scope, async (tx) => {
      const query = tx.select().from(t).orderBy(asc(t.createdAt), asc(t.id)).$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where });
      return { data: rows.map((row) => answerOf(reportSchedule, row)), pagination, mailConfigured: isMailConfigured() };
    });
  },
});

/**
 * Schedules a report by mail to the caller, until the schedule is deleted.
 * @throws AppError forbidden for programs and organizations outside the caller's reach, conflict with too many,
 * not_found when the platform's operator names an organization that does not exist
 */
export const createSchedule = operation({
  permission: "audit:export",
  input: createInput,
  output: reportSchedule,
  async run(ctx, { report, cadence, timeZone: chosen, orgId }) {
    const person = requirePerson(ctx);
    const { scope } = ctx;
    const now = ctx.now();
    const whose = {
      partnerId: orgId ? await partnerOfOrg(orgId) : ownPartner(scope),
      orgId: orgId ?? ownOrg(scope),
    };
    const row = await tenant(scope, async (tx) => {
      await countInTurn(tx, `report schedules of ${person.id}`);
      const [counted] = await tx.select({ total: count() }).from(t).where(eq(t.userId, person.id));
      if ((counted?.total ?? 0) >= MAX_SCHEDULES)
        throw new AppError("conflict", `You have ${MAX_SCHEDULES} schedules already. Delete one first.`);
      const timeZone = chosen ?? (await zoneFor(tx, whose));
      const created = await tx
        .insert(t)
        .values({
          id: newId(),
          userId: person.id,
          ...whose,
          report,
          cadence,
          timeZone,
          followsOrganization: !chosen,
          nextRunAt: nextRun(cadence, timeZone, now),
          createdAt: now,
        })
        .returning();
      return oneOf(created);
    });
    record(ctx, { ...about(row), action: "report_schedule.create", details: { after: auditable(row) } });
    return answerOf(reportSchedule, row);
  },
});

/**
 * Deletes one of the caller's own schedules.
 * @throws AppError not_found, forbidden for programs
 */
export const removeSchedule = operation({
  permission: "audit:export",
  input: onlyIdInput,
  output: "empty",
  async run(ctx, { id }) {
    const mine = and(eq(t.userId, requirePerson(ctx).id), eq(t.id, id));
    const [row] = await tenant(ctx.scope, (tx) => tx.delete(t).where(mine).returning());
    if (!row) throw notFound("report schedule");
    record(ctx, { ...about(row), action: "report_schedule.delete", details: { before: auditable(row) } });
  },
});
