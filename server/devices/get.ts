import { and, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { agents, devices } from "@/db/schema";
import { inScope } from "../auth/scope";
import type { Ctx } from "../context";
import { notFound } from "../errors";
import type { DeviceDetail, DeviceIdInput } from "./schema";
import { deviceColumns, toDevice } from "./to-device";

/**
 * One device within the caller's reach.
 * @throws AppError not_found, alike for a missing device and another organization's.
 */
export async function getDevice(ctx: Ctx, { id }: DeviceIdInput): Promise<DeviceDetail> {
  const [row] = await tenant(ctx.scope, (tx) =>
    tx
      .select({ ...deviceColumns, metrics: devices.metrics })
      .from(devices)
      .leftJoin(agents, eq(agents.deviceId, devices.id))
      .where(and(inScope(devices.orgId, ctx.scope), eq(devices.id, id))),
  );
  if (!row) throw notFound("device");
  const { metrics, ...core } = row;
  return { ...toDevice(core, ctx.now()), metrics: metrics as DeviceDetail["metrics"] };
}
