import { z } from "zod";
import { valueMap } from "@/server/custom-fields/schema";
import {
  columnText,
  filterText,
  flagFilter,
  guid,
  hostText,
  isoTime,
  pageShape,
  pagination,
} from "@/server/ground/wire";

const DEVICE_PAGE_LIMIT = 50;
const MAX_DEVICE_PAGE_LIMIT = 100;
/** A device is offline after this long without a sign of life. */
export const ONLINE_WINDOW_SECONDS = 90;
/** Status of an agent's last heartbeat before a clean stop. */
export const STOPPED = "stopped";

/** Query of GET /devices; fieldKey with fieldValue selects devices by a custom field. */
export const listInput = z.object({
  orgId: guid.optional(),
  search: filterText,
  os: filterText,
  fieldKey: filterText,
  fieldValue: filterText,
  online: flagFilter,
  ...pageShape(DEVICE_PAGE_LIMIT, MAX_DEVICE_PAGE_LIMIT),
});
export type ListInput = z.output<typeof listInput>;

const device = z.strictObject({
  id: guid,
  orgId: guid,
  /** Null without an agent. */
  agentId: z.string().nullable(),
  hostname: z.string(),
  os: z.string(),
  osVersion: z.string().nullable(),
  serialNumber: z.string().nullable(),
  agentVersion: z.string().nullable(),
  status: z.string().nullable(),
  lastIp: z.string().nullable(),
  lastSeenAt: isoTime.nullable(),
  online: z.boolean(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type Device = z.output<typeof device>;

/**
 * One device; metrics are from its agent's last heartbeat, customFields are values by key. Until agentReleasedUntil the
 * agent's id may be enrolled without its token.
 */
export const deviceDetail = device.extend({
  agentRevokedAt: isoTime.nullable(),
  agentReleasedUntil: isoTime.nullable(),
  metrics: z.record(z.string(), z.unknown()).nullable(),
  customFields: valueMap,
});
export type DeviceDetail = z.output<typeof deviceDetail>;

export const devicePage = z.strictObject({ data: z.array(device), pagination });

/** Hostname reported by an agent, within our column's length. */
export const hostname = hostText(255);
export const os = hostText(50);
export const osVersion = columnText(100);
