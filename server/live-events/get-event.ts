import { operation } from "@/server/operation";
import { askDevice } from "./ask-device";
import { withLogName } from "./log-names";
import { parseEntry } from "./parse-answer";
import { eventInput, eventOutput } from "./schema";

/** One event by its record id, from the device itself. @throws as askDevice does; not_found without such a record. */
export const getEvent = operation({
  permission: "devices:live",
  input: eventInput,
  output: eventOutput,
  waits: true,
  run(ctx, { deviceId, name, recordId }) {
    const details = { logName: name, recordId };
    return askDevice(ctx, { deviceId, kind: "event", details }, (ask, { agentId }) =>
      withLogName(ask, { agentId, name }, async (logName) => ({
        data: await ask({
          name: "eventlogs.get",
          params: { logName, recordId },
          what: "event",
          parse: parseEntry,
        }),
      })),
    );
  },
});
