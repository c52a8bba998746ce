import { operation } from "@/server/ground/operation";
import { withLogName } from "./log-names";
import { parseEntry } from "./parse-answer";
import { queryDevice } from "./query-device";
import { eventInput, eventOutput } from "./schema";

/** One event by its record id, from the device itself. @throws as queryDevice does; not_found without such a record. */
export const getEvent = operation({
  permission: "devices:live",
  input: eventInput,
  output: eventOutput,
  waits: true,
  run(ctx, { deviceId, name, recordId }) {
    const details = { logName: name, recordId };
    return queryDevice(ctx, { deviceId, kind: "event", details }, (queryAgent, { agentId }) =>
      withLogName(queryAgent, { agentId, name }, async (logName) => ({
        data: await queryAgent({
          name: "eventlogs.get",
          params: { logName, recordId },
          what: "event",
          parse: parseEntry,
        }),
      })),
    );
  },
});
