import { and, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { agents, devices } from "@/db/schema";
import { readDeviceValues, toValueMap } from "@/server/custom-fields/values";
import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { inScope } from "@/server/ground/scope";
import { idInput } from "@/server/ground/wire";
import { type DeviceDetail, deviceDetail } from "./schema";
import { deviceColumns, toDevice } from "./to-device";

/**
 * One device within the caller's reach.
 * @throws AppError not_found, alike for a missing device and another organization's.
 */
export const getDevice = operation({
  permission: "devices:read",
  input: idInput,
  output: deviceDetail,
  async run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      const [row] = await tx
        .select({
          ...deviceColumns(ctx.now()),
          metrics: devices.metrics,
          agentRevokedAt: agents.revokedAt,
          agentReleasedUntil: agents.releasedUntil,
        })
        .from(devices)
        .leftJoin(agents, eq(agents.deviceId, devices.id))
        .where(and(inScope(devices.orgId, ctx.scope), eq(devices.id, id)));
      if (!row) throw notFound("device");
      const { metrics, agentRevokedAt, agentReleasedUntil, ...core } = row;
      const customFields = toValueMap(await readDeviceValues(tx, ctx, core));
      return {
        ...toDevice(core),
        agentRevokedAt: agentRevokedAt?.toISOString() ?? null,
        agentReleasedUntil: agentReleasedUntil?.toISOString() ?? null,
        metrics: metrics as DeviceDetail["metrics"],
        customFields,
      };
    });
  },
});
