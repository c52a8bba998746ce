import { releaseAgent, revokeAgent } from "@/server/devices/agents/revoke";
import { getDevice, listDevices } from "@/server/devices/devices";
import { listLogs } from "@/server/devices/logs/agent-logs";
import { listEvents } from "@/server/devices/logs/event-logs";
import { listTimeline } from "@/server/devices/timeline/timeline";
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
