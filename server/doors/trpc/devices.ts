import { listLogs } from "@/server/devices/agent-logs/list";
import { releaseAgent, revokeAgent } from "@/server/devices/agents/revoke";
import { listEvents } from "@/server/devices/event-logs/list";
import { getDevice } from "@/server/devices/get";
import { listDevices } from "@/server/devices/list";
import { listTimeline } from "@/server/devices/timeline/list";
import { mutation, query, router } from "./init";

/** Devices and what is stored of their logs. */
export const devicesRouter = router({
  list: query(listDevices),
  get: query(getDevice),
  revokeAgent: mutation(revokeAgent),
  releaseAgent: mutation(releaseAgent),
  diagnosticLogs: query(listLogs),
  eventLogs: query(listEvents),
  timeline: query(listTimeline),
});
