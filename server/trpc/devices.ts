import { listLogs } from "../agent-logs/list";
import { listInput as listLogsInput } from "../agent-logs/schema";
import { getDevice } from "../devices/get";
import { listDevices } from "../devices/list";
import { deviceIdInput, listInput as listDevicesInput } from "../devices/schema";
import { listEvents } from "../event-logs/list";
import { listInput as listEventsInput } from "../event-logs/schema";
import { procedure, router } from "./init";

const reading = procedure("devices:read");

/** Devices and what is stored of their logs. */
export const devicesRouter = router({
  list: reading.input(listDevicesInput).query(({ ctx, input }) => listDevices(ctx.caller, input)),
  get: reading.input(deviceIdInput).query(({ ctx, input }) => getDevice(ctx.caller, input)),
  diagnosticLogs: reading.input(listLogsInput).query(({ ctx, input }) => listLogs(ctx.caller, input)),
  eventLogs: reading.input(listEventsInput).query(({ ctx, input }) => listEvents(ctx.caller, input)),
});
