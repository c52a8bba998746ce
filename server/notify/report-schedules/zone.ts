import { and, eq, or } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { organizations, reportSchedules } from "@/db/schema";
import { ofOwner } from "@/server/ground/scope";
import { nextRun } from "./period";

const t = reportSchedules;
type ScheduleRow = typeof t.$inferSelect;
const NONE = "UTC";

/** The zone of an organization, or of the partner's own where a schedule is of all; UTC where none was chosen. */
export async function zoneFor(tx: Tx, { orgId, partnerId }: Pick<ScheduleRow, "orgId" | "partnerId">): Promise<string> {
  const home = partnerId ? and(eq(organizations.partnerId, partnerId), organizations.isHome) : undefined;
  const where = orgId ? eq(organizations.id, orgId) : home;
  if (!where) return NONE;
  const [row] = await tx.select({ zone: organizations.timeZone }).from(organizations).where(where);
  return row?.zone ?? NONE;
}

/** A schedule by the zone that its organization has now: where that is another, its next run is another too. */
export async function aligned(tx: Tx, row: ScheduleRow): Promise<ScheduleRow> {
  if (!row.followsOrganization) return row;
  const timeZone = await zoneFor(tx, row);
  if (timeZone === row.timeZone) return row;
  const nextRunAt = nextRun(row.cadence, timeZone, row.lastRunAt ?? row.createdAt);
  await tx.update(t).set({ timeZone, nextRunAt }).where(eq(t.id, row.id));
  return { ...row, timeZone, nextRunAt };
}

/** Brings the schedules that follow an organization to the zone that it has now. */
export async function followZone({ id, partnerId, isHome }: typeof organizations.$inferSelect): Promise<void> {
  const ofAll = isHome ? ofOwner(t, { orgId: null, partnerId }) : undefined;
  await asSystem(async (tx) => {
    const rows = await tx
      .select()
      .from(t)
      .where(and(eq(t.followsOrganization, true), or(eq(t.orgId, id), ofAll)))
      .for("update");
    for (const row of rows) await aligned(tx, row);
  });
}
