import { getEvent, getLog, listLogs, queryEvents } from "@/server/devices/live/queries";
import { query, router } from "./init";

/** Live queries of the event logs of a device, which its agent answers. */
export const liveEventsRouter = router({
  logs: query(listLogs),
  log: query(getLog),
  events: query(queryEvents),
  event: query(getEvent),
});
