import { and, eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { devices } from "@/db/schema";
import { inScope } from "../auth/scope";
import type { Ctx } from "../context";
import { notFound } from "../errors";

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
