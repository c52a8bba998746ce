import { getEvent } from "@/server/live-events/get-event";
import { getLog } from "@/server/live-events/get-log";
import { listLogs } from "@/server/live-events/list-logs";
import { queryEvents } from "@/server/live-events/query-events";
import { eventInput, eventsInput, listInput, logInput } from "@/server/live-events/schema";
import { procedure, router } from "./init";

const asking = procedure("devices:live");

/** Questions to the agent on a device. */
export const liveEventsRouter = router({
  logs: asking.input(listInput).query(({ ctx, input }) => listLogs(ctx.caller, input)),
  log: asking.input(logInput).query(({ ctx, input }) => getLog(ctx.caller, input)),
  events: asking.input(eventsInput).query(({ ctx, input }) => queryEvents(ctx.caller, input)),
  event: asking.input(eventInput).query(({ ctx, input }) => getEvent(ctx.caller, input)),
});
