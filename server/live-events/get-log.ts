import { notFound } from "@/server/errors";
import { operation } from "@/server/operation";
import { askDevice } from "./ask-device";
import { askLogs, matchName } from "./log-names";
import { logInput, logOutput } from "./schema";

/** One event log of a device, its name in any case. @throws as askDevice does; not_found when there is no such log. */
export const getLog = operation({
  permission: "devices:live",
  input: logInput,
  output: logOutput,
  waits: true,
  run(ctx, { deviceId, name }) {
    return askDevice(ctx, { deviceId, kind: "log", details: { logName: name } }, async (ask, { agentId }) => {
      const logs = await askLogs(ask, agentId);
      const found = matchName(
        logs.map((log) => log.name),
        name,
      );
      const data = logs.find((log) => log.name === found);
      if (!data) throw notFound("event log");
      return { data };
    });
  },
});
