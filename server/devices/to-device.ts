import { agents, devices } from "@/db/schema";
import { lastHeard, onlineCondition } from "./presence";
import type { Device } from "./schema";

/** What a device query selects, with agents joined on the left. */
export const deviceColumns = (now: Date) => ({
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
  lastSeenAt: lastHeard,
  createdAt: devices.createdAt,
  updatedAt: devices.updatedAt,
  online: onlineCondition(now),
});

type DeviceRow = Omit<Device, "lastSeenAt" | "createdAt" | "updatedAt"> & {
  lastSeenAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

/** A row as the wire has it. */
export function toDevice(row: DeviceRow): Device {
  return {
    ...row,
    lastSeenAt: row.lastSeenAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
