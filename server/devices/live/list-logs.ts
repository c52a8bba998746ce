import { operation } from "@/server/ground/operation";
import { queryLogs } from "./log-names";
import { queryDevice } from "./query-device";
import { listInput, logsOutput } from "./schema";

/** The event logs that a device has, from the device itself. @throws as queryDevice does. */
export const listLogs = operation({
  permission: "devices:live",
  input: listInput,
  output: logsOutput,
  waits: true,
  run(ctx, { deviceId }) {
    return queryDevice(ctx, { deviceId, kind: "logs", details: {} }, async (queryAgent, { agentId }) => ({
      data: await queryLogs(queryAgent, agentId),
    }));
  },
});
