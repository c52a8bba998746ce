import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { devices } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { notFound } from "@/server/ground/errors";
import { inScope } from "@/server/ground/scope";

/**
 * The organization of a device within the caller's reach, for queries about that device.
 * @throws AppError not_found, alike for a missing device and another organization's.
 */
export async function findDevice(
  ctx: Ctx,
  tx: Tx,
  id: string,
): Promise<{ id: string; orgId: string; hostname: string }> {
  const [row] = await tx
    .select({ id: devices.id, orgId: devices.orgId, hostname: devices.hostname })
    .from(devices)
    .where(and(inScope(devices.orgId, ctx.scope), eq(devices.id, id)));
  if (!row) throw notFound("device");
  return row;
}

/**
 * Has the planner read a device's newest rows through the device's own index. Left alone it may walk all devices' rows
 * by time and throw the others away, because it takes devices to be evenly mixed: 150 ms instead of 1 ms.
 */
export async function preferDeviceIndex(tx: Tx): Promise<void> {
  await tx.execute(sql`SELECT set_config('enable_incremental_sort', 'off', true)`);
}
