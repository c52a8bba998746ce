import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { isoTimes } from "@/server/ground/records";
import { parseEntries, parseEntry } from "./parse-answer";
import { matchName, queryDevice, queryLogs, withLogName } from "./query-device";
import {
  eventInput,
  eventOutput,
  eventsInput,
  eventsOutput,
  listInput,
  logInput,
  logOutput,
  logsOutput,
} from "./schema";

/** Event logs of a device, queried live. @throws as queryDevice does. */
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

/** One event log of a device, by name in any case. @throws as queryDevice does; not_found when there is no such log. */
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

/** A page of a log's events that match the filters, queried live. @throws as queryDevice does. */
export const queryEvents = operation({
  permission: "devices:live",
  input: eventsInput,
  output: eventsOutput,
  waits: true,
  run(ctx, input) {
    const { deviceId, name, ...filters } = input;
    const params = isoTimes(filters);
    const { page, limit } = filters;
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

/** One event by its record id, queried live. @throws as queryDevice does; not_found without such a record. */
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
