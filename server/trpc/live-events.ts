import { getEvent } from "@/server/live-events/get-event";
import { getLog } from "@/server/live-events/get-log";
import { listLogs } from "@/server/live-events/list-logs";
import { queryEvents } from "@/server/live-events/query-events";
import { query, router } from "./init";

/** Live queries of the event logs of a device, which its agent answers. */
export const liveEventsRouter = router({
  logs: query(listLogs),
  log: query(getLog),
  events: query(queryEvents),
  event: query(getEvent),
});
