import type { Ctx } from "@/server/context";
import { askDevice } from "./ask-device";
import { askLogs } from "./log-names";
import type { ListInput, LogsOutput } from "./schema";

/** The event logs that a device has, from the device itself. @throws as askDevice does. */
export function listLogs(ctx: Ctx, { deviceId }: ListInput): Promise<LogsOutput> {
  return askDevice(ctx, { deviceId, kind: "logs", details: {} }, async (ask, { agentId }) => ({
    data: await askLogs(ask, agentId),
  }));
}
