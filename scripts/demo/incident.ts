import { itemAt } from "@/server/ground/records";
import type { Cast, Device, Person } from "@/testing/world/cast";
import { onDevice, type StoryEvent } from "./beats";

const DEVICE = "CDG-WS-008";
/** An address used by nobody in the cast. */
const STRANGE_ADDRESS = "198.18.44.7";
const TUESDAY = 2;
const WEEK = 7;

/** A local time of this machine, which is also the reader's, some days before the end. */
function localTime(end: number, daysBack: number, time: string): Date {
  const [hours = 0, minutes = 0, seconds = 4] = time.split(":").map(Number);
  const day = new Date(end);
  day.setDate(day.getDate() - daysBack);
  day.setHours(hours, minutes, seconds, 0);
  return day;
}

/** Days since the last Tuesday, never 0. */
const sinceTuesday = (end: number): number => ((new Date(end).getDay() - TUESDAY + WEEK - 1) % WEEK) + 1;

/** Days of the incident: the Tuesday it happens, and the latest morning, when repairs fail. */
function daysOf(end: number) {
  const morning = localTime(end, 0, "09:27").getTime() < end ? 0 : 1;
  const at = (daysBack: number) => (time: string) => localTime(end, daysBack, time).toISOString();
  return { tuesday: at(sinceTuesday(end)), morning: at(morning) };
}

const by = (person: Person, ipAddress: string) => ({
  actorType: "user" as const,
  actorId: person.id,
  actorEmail: person.email,
  ipAddress,
});
const BY_SYSTEM = { actorType: "system" as const, actorId: "00000000-0000-0000-0000-000000000000" };

type Told = Pick<StoryEvent, "timestamp" | "action"> & Partial<StoryEvent>;

/** Somebody guesses Marcus Webb's password from a new address and copies the log. */
function intrusion(orgId: string, technician: Person, tuesday: (time: string) => string): StoryEvent[] {
  const sessionId = "s_8f2k1q";
  const user = { resourceType: "user", resourceId: technician.id, resourceName: technician.name };
  const wrong = { result: "failure" as const, errorMessage: "Wrong password", details: { reason: "wrong_password" } };
  const who = by(technician, STRANGE_ADDRESS);
  const told = (event: Told): StoryEvent => ({
    ...{ ...who, orgId, resourceType: "audit_log", result: "success" },
    ...event,
  });
  return [
    ...["13:49:12", "13:49:40", "13:50:21"].map((time) =>
      told({ ...user, ...wrong, timestamp: tuesday(time), action: "user.login.failed" }),
    ),
    told({
      ...{ ...user, timestamp: tuesday("13:51:02"), action: "user.login" },
      details: { sessionId, method: "password" },
    }),
    told({
      ...{ timestamp: tuesday("14:03"), action: "data.export", resourceName: "Audit log" },
      details: { sessionId, format: "csv", rows: 8_214 },
    }),
  ];
}

/**
 * The month's main story: somebody signs in as a technician from a new address and disables a device's antivirus
 * policy; it is noticed, and repair attempts are refused and fail. The device's own logs agree (incidentOn).
 */
export function incidentEvents(cast: Cast, end: number): StoryEvent[] {
  const device = cast.devices.find(({ hostname }) => hostname === DEVICE) ?? itemAt(cast.devices, 0);
  const [admin, technician, analyst, engineer] = [0, 1, 2, 3].map((at) => itemAt(cast.people, at)) as [
    Person,
    Person,
    Person,
    Person,
  ];
  const { tuesday, morning } = daysOf(end);
  const told = (who: Pick<StoryEvent, "actorType" | "actorId">, { details, ...event }: Told): StoryEvent => ({
    ...{ ...who, orgId: itemAt(cast.orgIds, device.org), resourceType: "policy", resourceName: "Antivirus" },
    ...{ result: "success", ...event, details: { device: device.hostname, ...details } },
  });
  const alert = { resourceType: "alert", resourceName: "Antivirus turned off" };
  const byAdmin = by(admin, "203.0.113.208");
  return [
    ...intrusion(cast.homeOrgId, technician, tuesday),
    told(by(technician, STRANGE_ADDRESS), {
      ...{ timestamp: tuesday("14:12"), action: "policy.update" },
      details: { before: { antivirus: "enabled" }, after: { antivirus: "disabled" } },
    }),
    told(BY_SYSTEM, {
      ...{ ...alert, timestamp: tuesday("15:03"), action: "alert.create" },
      details: { severity: "critical" },
    }),
    told(by(analyst, "203.0.113.211"), { ...alert, timestamp: tuesday("15:06"), action: "alert.acknowledge" }),
    told(by(engineer, "203.0.113.213"), {
      ...{ timestamp: tuesday("15:21"), action: "policy.update" },
      details: { before: { locked: false }, after: { locked: true } },
    }),
    told(byAdmin, {
      ...{ timestamp: morning("09:14"), action: "policy.update", result: "denied" },
      errorMessage: "The policy is locked while its change is reviewed",
    }),
    {
      ...told(byAdmin, {
        ...onDevice(device),
        timestamp: morning("09:26"),
        action: "script.execute",
        result: "failure",
      }),
      errorMessage: "Exit code 1: access is denied",
      details: { script: "Restart the antivirus service", durationMs: 5_210, runAs: "system" },
    },
  ];
}

const DEFENDER = "Microsoft-Windows-Windows Defender";

/** The incident in its device's logs: agent diagnostics and system events; empty for other devices. */
export function incidentOn({ hostname }: Pick<Device, "hostname">, end: number) {
  if (hostname !== DEVICE) return { lines: [], events: [] };
  const { tuesday, morning } = daysOf(end);
  const line = (timestamp: string, level: "info" | "warn" | "error", [component, message]: [string, string]) => ({
    ...{ timestamp, level, component, message },
    fields: { policy: "Antivirus" },
  });
  const event = (timestamp: string, level: "warning" | "error" | "critical", [number, message]: [number, string]) => ({
    ...{ timestamp, level, category: "security", source: DEFENDER, message },
    eventId: `${hostname}:defender:${number}`,
    details: { eventId: number, computer: hostname },
  });
  return {
    lines: [
      line(tuesday("14:12:14"), "info", ["policy", "policy applied: Antivirus, disabled by Marcus Webb"]),
      line(tuesday("14:12:22"), "warn", ["security", "real-time protection is off"]),
      line(tuesday("15:02:58"), "error", ["security", "malware found while protection is off; alert raised"]),
      line(morning("09:26:10"), "error", ["script", "Restart the antivirus service: exit code 1, access is denied"]),
    ],
    events: [
      event(tuesday("14:12:21"), "warning", [5001, "Real-time protection is disabled."]),
      event(tuesday("14:41:08"), "critical", [
        1116,
        "Malware detected. Name: Trojan:Win32/Invoice. Path: C:\\Users\\reception\\Downloads\\invoice.exe",
      ]),
      event(morning("09:26:09"), "error", [3002, "Real-time protection failed to start: access is denied."]),
    ],
  };
}
