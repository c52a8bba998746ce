import { operation } from "@/server/operation";
import { askDevice } from "./ask-device";
import { askLogs } from "./log-names";
import { listInput, logsOutput } from "./schema";

/** The event logs that a device has, from the device itself. @throws as askDevice does. */
export const listLogs = operation({
  permission: "devices:live",
  input: listInput,
  output: logsOutput,
  waits: true,
  run(ctx, { deviceId }) {
    return askDevice(ctx, { deviceId, kind: "logs", details: {} }, async (ask, { agentId }) => ({
      data: await askLogs(ask, agentId),
    }));
  },
});
