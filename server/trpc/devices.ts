import { listLogs } from "@/server/agent-logs/list";
import { listInput as listLogsInput } from "@/server/agent-logs/schema";
import { getDevice } from "@/server/devices/get";
import { listDevices } from "@/server/devices/list";
import { deviceIdInput, listInput as listDevicesInput } from "@/server/devices/schema";
import { listEvents } from "@/server/event-logs/list";
import { listInput as listEventsInput } from "@/server/event-logs/schema";
import { procedure, router } from "./init";

const reading = procedure("devices:read");

/** Devices and what is stored of their logs. */
export const devicesRouter = router({
  list: reading.input(listDevicesInput).query(({ ctx, input }) => listDevices(ctx.caller, input)),
  get: reading.input(deviceIdInput).query(({ ctx, input }) => getDevice(ctx.caller, input)),
  diagnosticLogs: reading.input(listLogsInput).query(({ ctx, input }) => listLogs(ctx.caller, input)),
  eventLogs: reading.input(listEventsInput).query(({ ctx, input }) => listEvents(ctx.caller, input)),
});
