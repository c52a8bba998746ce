import { operation } from "@/server/ground/operation";
import { withLogName } from "./log-names";
import { parseEntries } from "./parse-answer";
import { queryDevice } from "./query-device";
import { type EventsInput, eventsInput, eventsOutput, type QueryParams } from "./schema";

function toParams({
  page,
  limit,
  level,
  source,
  startTime,
  endTime,
  eventId,
}: EventsInput): Omit<QueryParams, "logName"> {
  return {
    page,
    limit,
    ...(level ? { level } : {}),
    ...(source ? { source } : {}),
    ...(startTime ? { startTime: startTime.toISOString() } : {}),
    ...(endTime ? { endTime: endTime.toISOString() } : {}),
    ...(eventId === undefined ? {} : { eventId }),
  };
}

/** A page of a log's events that match the filters, from the device itself. @throws as queryDevice does. */
export const queryEvents = operation({
  permission: "devices:live",
  input: eventsInput,
  output: eventsOutput,
  waits: true,
  run(ctx, input) {
    const params = toParams(input);
    const { deviceId, name, page, limit } = input;
    return queryDevice(
      ctx,
      { deviceId, kind: "events", details: { logName: name, ...params } },
      (queryAgent, { agentId }) =>
        withLogName(queryAgent, { agentId, name }, async (logName) => {
          const { entries, total, searched } = await queryAgent({
            name: "eventlogs.query",
            params: { logName, ...params },
            what: "event log",
            parse: (data) => parseEntries(data, { page, limit }),
          });
          return { data: entries, meta: { page, limit, total, totalPages: Math.ceil(total / limit), searched } };
        }),
    );
  },
});
