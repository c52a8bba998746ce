import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { matchName, queryLogs } from "./log-names";
import { queryDevice } from "./query-device";
import { logInput, logOutput } from "./schema";

/** One event log of a device, its name in any case. @throws as queryDevice does; not_found when there is no such log. */
export const getLog = operation({
  permission: "devices:live",
  input: logInput,
  output: logOutput,
  waits: true,
  run(ctx, { deviceId, name }) {
    return queryDevice(ctx, { deviceId, kind: "log", details: { logName: name } }, async (queryAgent, { agentId }) => {
      const logs = await queryLogs(queryAgent, agentId);
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
