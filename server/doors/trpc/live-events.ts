import { getEvent } from "@/server/devices/live/get-event";
import { getLog } from "@/server/devices/live/get-log";
import { listLogs } from "@/server/devices/live/list-logs";
import { queryEvents } from "@/server/devices/live/query-events";
import { query, router } from "./init";

/** Live queries of the event logs of a device, which its agent answers. */
export const liveEventsRouter = router({
  logs: query(listLogs),
  log: query(getLog),
  events: query(queryEvents),
  event: query(getEvent),
});
