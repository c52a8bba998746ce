import type { z } from "zod";
import type { submitInput } from "@/server/audit/record/schema";
import { keysOf } from "@/server/ground/records";
import type { Device } from "@/testing/world/cast";

/** An event for POST /audit-logs/events with known organization, actor and time. */
export type StoryEvent = z.input<typeof submitInput>["events"][number] & {
  orgId: string;
  timestamp: string;
  actorId: string;
};

/** Unique events; the story sets their times. */
export type Beat = Omit<StoryEvent, "timestamp">;

export const SCRIPTS = [
  "Clear print queue",
  "Free disk space",
  "Restart Windows Update",
  "Flush DNS cache",
  "Remove stale profiles",
  "Collect support bundle",
];
export const POLICIES = [
  "Workstation baseline",
  "Server patching",
  "BitLocker required",
  "USB storage",
  "Browser hardening",
];
/** Alerts of ordinary days, with severity. */
export const ALERTS = {
  "Disk C: below 10 %": "warning",
  "Backup missed": "critical",
  "Service Spooler stopped": "warning",
  "High memory use": "warning",
  "Certificate expires in 14 days": "warning",
} as const;
export const ALERT_NAMES = keysOf(ALERTS);

export const onDevice = (d: Device) => ({ resourceType: "device", resourceId: d.deviceId, resourceName: d.hostname });
