import { agents, devices } from "@/db/schema";
import { isOnline } from "./presence";
import type { Device } from "./schema";

/** What a device query selects, with agents joined on the left. */
export const deviceColumns = {
  id: devices.id,
  orgId: devices.orgId,
  agentId: agents.id,
  hostname: devices.hostname,
  os: devices.os,
  osVersion: devices.osVersion,
  serialNumber: devices.serialNumber,
  agentVersion: devices.agentVersion,
  status: devices.status,
  lastIp: devices.lastIp,
  lastSeenAt: devices.lastSeenAt,
  createdAt: devices.createdAt,
  updatedAt: devices.updatedAt,
};

type DeviceRow = Omit<Device, "online" | "lastSeenAt" | "createdAt" | "updatedAt"> & {
  lastSeenAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

/** A row as the wire has it. */
export function toDevice(row: DeviceRow, now: Date): Device {
  return {
    ...row,
    lastSeenAt: row.lastSeenAt?.toISOString() ?? null,
    online: isOnline(row.lastSeenAt, now),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
