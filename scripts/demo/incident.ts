import { itemAt } from "@/server/ground/records";
import type { Cast, StoryEvent } from "./beats";

const DEVICE = "CDG-WS-008";
const TUESDAY = 2;
const WEEK = 7;

/** So many days before the end, at a time of the clock of this machine, which is also the reader's. */
function localTime(end: number, daysBack: number, time: string): Date {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const day = new Date(end);
  day.setDate(day.getDate() - daysBack);
  day.setHours(hours, minutes, 4, 0);
  return day;
}

/** Days back to the last Tuesday, which is never today. */
const sinceTuesday = (end: number): number => ((new Date(end).getDay() - TUESDAY + WEEK - 1) % WEEK) + 1;

/**
 * The one thread of the month worth following: a technician turns the antivirus policy off on a device, it is noticed,
 * and the next attempts to repair it are refused and fail.
 */
export function incidentEvents(cast: Cast, end: number): StoryEvent[] {
  const device = cast.devices.find(({ hostname }) => hostname === DEVICE) ?? itemAt(cast.devices, 0);
  const orgId = itemAt(cast.orgIds, device.org);
  const [admin, technician] = [itemAt(cast.people, 0), itemAt(cast.people, 1)];
  const policy = { orgId, resourceType: "policy", resourceName: "Antivirus" };
  const by = (person: Cast["people"][number], ipAddress: string) => ({
    actorType: "user" as const,
    actorId: person.id,
    actorEmail: person.email,
    ipAddress,
  });
  const tuesday = sinceTuesday(end);
  const morning = localTime(end, 0, "09:27").getTime() < end ? 0 : 1;
  return [
    {
      ...policy,
      ...by(technician, "203.0.113.211"),
      timestamp: localTime(end, tuesday, "14:12").toISOString(),
      action: "policy.update",
      result: "success",
      details: { device: device.hostname, before: { antivirus: "enabled" }, after: { antivirus: "disabled" } },
    },
    {
      orgId,
      actorType: "system",
      actorId: "00000000-0000-0000-0000-000000000000",
      timestamp: localTime(end, tuesday, "15:03").toISOString(),
      action: "alert.create",
      resourceType: "alert",
      resourceName: "Antivirus out of date",
      result: "success",
      details: { device: device.hostname, severity: "critical" },
    },
    {
      ...policy,
      ...by(admin, "203.0.113.208"),
      timestamp: localTime(end, morning, "09:14").toISOString(),
      action: "policy.update",
      result: "denied",
      errorMessage: "The policy is locked while its change is reviewed",
      details: { device: device.hostname },
    },
    {
      ...by(admin, "203.0.113.208"),
      orgId,
      timestamp: localTime(end, morning, "09:26").toISOString(),
      action: "script.execute",
      resourceType: "device",
      resourceId: device.deviceId,
      resourceName: device.hostname,
      result: "failure",
      errorMessage: "Exit code 1: access is denied",
      details: { script: "Restart the antivirus service", durationMs: 5_210, runAs: "system" },
    },
  ];
}
