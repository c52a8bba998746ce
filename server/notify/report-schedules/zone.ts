import { and, eq, or } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { organizations, reportSchedules } from "@/db/schema";
import { ofOwner } from "@/server/ground/scope";
import { nextRun } from "./period";

const t = reportSchedules;
type ScheduleRow = typeof t.$inferSelect;
const NONE = "UTC";

/** Zone of an organization, or of the partner's home if a schedule covers all; UTC by default. */
export async function zoneFor(tx: Tx, { orgId, partnerId }: Pick<ScheduleRow, "orgId" | "partnerId">): Promise<string> {
  const home = partnerId ? and(eq(organizations.partnerId, partnerId), organizations.isHome) : undefined;
  const where = orgId ? eq(organizations.id, orgId) : home;
  if (!where) return NONE;
  const [row] = await tx.select({ zone: organizations.timeZone }).from(organizations).where(where);
  return row?.zone ?? NONE;
}

/** A schedule with its organization's current zone, and the next run adjusted. */
export async function aligned(tx: Tx, row: ScheduleRow): Promise<ScheduleRow> {
  if (!row.followsOrganization) return row;
  const timeZone = await zoneFor(tx, row);
  if (timeZone === row.timeZone) return row;
  const nextRunAt = nextRun(row.cadence, timeZone, row.lastRunAt ?? row.createdAt);
  await tx.update(t).set({ timeZone, nextRunAt }).where(eq(t.id, row.id));
  return { ...row, timeZone, nextRunAt };
}

/** Updates the schedules of an organization to its current zone. */
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
