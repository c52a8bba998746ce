import { version } from "@/package.json";
import { itemAt } from "@/server/records";
import { type DevicePlan, ORGS, type PersonPlan } from "./cast";
import { regularTimes, workingTime } from "./clock";
import type { Random } from "./random";

/** One event as POST /audit-logs/events takes it. */
export type StoryEvent = {
  orgId: string;
  timestamp: string;
  actorType: "user" | "api_key" | "agent" | "system" | "ai_agent";
  actorId: string;
  actorEmail?: string;
  action: string;
  resourceType: string;
  resourceId?: string;
  resourceName?: string;
  details?: Record<string, unknown>;
  ipAddress?: string;
  userAgent?: string;
  result: "success" | "failure" | "denied";
  errorMessage?: string;
};

export type Cast = {
  homeOrgId: string;
  orgIds: string[];
  people: (PersonPlan & { id: string })[];
  devices: (DevicePlan & { deviceId: string; agentId: string })[];
};
type Person = Cast["people"][number];
type Device = Cast["devices"][number];
type Beat = Omit<StoryEvent, "timestamp">;

const SYSTEM = "00000000-0000-0000-0000-000000000000";
const BROWSERS = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15",
  "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
];
const SCRIPTS = [
  "Clear print queue",
  "Free disk space",
  "Restart Windows Update",
  "Flush DNS cache",
  "Remove stale profiles",
  "Collect support bundle",
];
const POLICIES = ["Workstation baseline", "Server patching", "BitLocker required", "USB storage", "Browser hardening"];
const ALERTS = [
  "Disk C: below 10 %",
  "Backup missed",
  "Antivirus out of date",
  "Service Spooler stopped",
  "High memory use",
  "Certificate expires in 14 days",
];
const FIELDS = ["Asset tag", "Warranty until", "Location", "Owner"];

const ipOf = (person: Person): string =>
  person.org === null
    ? `203.0.113.${200 + (person.name.length % 40)}`
    : `${ORGS[person.org]?.network}.${80 + (person.name.length % 40)}`;

function byPerson(
  person: Person,
  orgId: string,
  random: Random,
): Pick<Beat, "orgId" | "actorType" | "actorId" | "actorEmail" | "ipAddress" | "userAgent"> {
  return {
    orgId,
    actorType: "user",
    actorId: person.id,
    actorEmail: person.email,
    ipAddress: ipOf(person),
    userAgent: itemAt(BROWSERS, person.name.length + random.int(0, 0)),
  };
}

const onDevice = (d: Device) => ({ resourceType: "device", resourceId: d.deviceId, resourceName: d.hostname });

/** What a person does in one sitting, one beat after the other. */
function sitting(cast: Cast, person: Person, random: Random): Beat[] {
  const orgAt = person.org ?? random.int(0, ORGS.length - 1);
  const orgId = itemAt(cast.orgIds, orgAt);
  const own = cast.devices.filter((d) => d.org === orgAt);
  const who = byPerson(person, orgId, random);
  const home = { ...who, orgId: person.org === null ? cast.homeOrgId : orgId };
  const user = { resourceType: "user", resourceId: person.id, resourceName: person.name };
  const beats: Beat[] = [];
  if (random.chance(0.09))
    for (let i = random.int(1, 3); i > 0; i--)
      beats.push({
        ...home,
        ...user,
        action: "user.login.failed",
        result: "failure",
        errorMessage: "Wrong password",
        details: { reason: "wrong_password", attempt: i },
      });
  const sessionId = `s_${random.int(1e8, 9e8).toString(36)}`;
  beats.push({ ...home, ...user, action: "user.login", result: "success", details: { sessionId, method: "password" } });
  for (let i = random.int(2, 9); i > 0; i--)
    beats.push(deed({ cast, who, person, device: random.pick(own), random, sessionId }));
  if (random.chance(0.6))
    beats.push({ ...home, ...user, action: "user.logout", result: "success", details: { sessionId } });
  return beats;
}

type Deed = {
  cast: Cast;
  who: ReturnType<typeof byPerson>;
  person: Person;
  device: Device;
  random: Random;
  sessionId: string;
};

function deed({ cast, who, person, device, random, sessionId }: Deed): Beat {
  const viewer = person.role === "org_viewer";
  const done = { ...who, result: "success" as const };
  const kind = viewer
    ? random.weighted({
        access: 70,
        denied: 12,
        live: 0,
        script: 0,
        policy: 0,
        alert: 10,
        field: 0,
        update: 0,
        permission: 0,
        export: 8,
        org: 0,
      })
    : random.weighted({
        access: 18,
        denied: 2,
        live: 14,
        script: 22,
        policy: 8,
        alert: 18,
        field: 7,
        update: 6,
        permission: 1.5,
        export: 2,
        org: 1,
      });
  switch (kind) {
    case "access":
      return {
        ...done,
        action: "data.access",
        ...onDevice(device),
        details: { sessionId, view: random.pick(["inventory", "event logs", "remote console", "documents"]) },
      };
    case "denied":
      return {
        ...who,
        action: viewer ? "data.export" : "policy.update",
        resourceType: viewer ? "audit_log" : "policy",
        resourceName: viewer ? "Audit log" : random.pick(POLICIES),
        result: "denied",
        errorMessage: `Role ${person.role} lacks the permission`,
        details: { sessionId },
      };
    case "live":
      return {
        ...done,
        action: "device.eventlogs.live_query",
        ...onDevice(device),
        details: { sessionId, log: random.pick(["System", "Security", "Application"]), level: "error" },
      };
    case "script": {
      const failed = random.chance(0.07);
      return {
        ...who,
        action: "script.execute",
        ...onDevice(device),
        result: failed ? "failure" : "success",
        ...(failed ? { errorMessage: "Exit code 1: access is denied" } : {}),
        details: { sessionId, script: random.pick(SCRIPTS), durationMs: random.int(400, 45_000), runAs: "system" },
      };
    }
    case "policy": {
      const before = random.pick([15, 30, 60]);
      return {
        ...done,
        action: random.chance(0.12) ? "policy.create" : "policy.update",
        resourceType: "policy",
        resourceName: random.pick(POLICIES),
        details: {
          sessionId,
          before: { lockAfterMinutes: before, enforce: false },
          after: { lockAfterMinutes: random.pick([5, 10]), enforce: true },
        },
      };
    }
    case "alert":
      return {
        ...done,
        action: random.pick(["alert.acknowledge", "alert.resolve"]),
        resourceType: "alert",
        resourceName: random.pick(ALERTS),
        details: { sessionId, device: device.hostname },
      };
    case "field": {
      const field = random.pick(FIELDS);
      return {
        ...done,
        action: "device.custom_fields.update",
        ...onDevice(device),
        details: {
          sessionId,
          before: { [field]: null },
          after: { [field]: `${device.kind}-${random.int(1000, 9999)}` },
        },
      };
    }
    case "update":
      return {
        ...done,
        action: "device.update",
        ...onDevice(device),
        details: {
          sessionId,
          before: { site: "Unassigned", tags: [] },
          after: { site: random.pick(["Main office", "Warehouse", "Reception"]), tags: ["monitored"] },
        },
      };
    case "permission": {
      const other = random.pick(cast.people);
      return {
        ...done,
        action: "user.permission.change",
        resourceType: "user",
        resourceId: other.id,
        resourceName: other.name,
        details: { sessionId, before: { role: "org_viewer" }, after: { role: other.role } },
      };
    }
    case "export":
      return {
        ...done,
        action: "data.export",
        resourceType: "audit_log",
        resourceName: "Audit log",
        details: { sessionId, format: random.pick(["csv", "json"]), rows: random.int(40, 9000) },
      };
    default:
      return {
        ...done,
        action: "organization.update",
        resourceType: "organization",
        resourceId: who.orgId,
        resourceName: ORGS[device.org]?.name ?? "",
        details: { sessionId, before: { contact: "front desk" }, after: { contact: "IT lead" } },
      };
  }
}

/** What happens without anybody: agents submit, policies are evaluated, alerts rise, the assistant suggests. */
function machineBeats(cast: Cast, device: Device, random: Random): Beat {
  const orgId = itemAt(cast.orgIds, device.org);
  const agent = {
    orgId,
    actorType: "agent" as const,
    actorId: device.agentId,
    ipAddress: device.ip,
    userAgent: `trailmark-agent/${version}`,
    result: "success" as const,
  };
  const system = { orgId, actorType: "system" as const, actorId: SYSTEM, result: "success" as const };
  switch (random.weighted({ submit: 880, evaluate: 70, alert: 40, ip: 2, ai: 8 })) {
    case "submit": {
      const received = random.int(1, 120);
      return {
        ...agent,
        action: "agent.eventlogs.submit",
        ...onDevice(device),
        details: { received, inserted: received - random.int(0, Math.min(3, received)) },
      };
    }
    case "evaluate": {
      const failed = random.chance(0.05);
      return {
        ...system,
        result: failed ? "failure" : "success",
        ...(failed ? { errorMessage: "2 of 14 settings differ" } : {}),
        action: random.chance(0.3) ? "automation.policy.evaluate" : "policy.evaluate",
        resourceType: "policy",
        resourceName: random.pick(POLICIES),
        details: { device: device.hostname, settings: 14, differing: failed ? 2 : 0 },
      };
    }
    case "alert":
      return {
        ...system,
        action: "alert.create",
        resourceType: "alert",
        resourceName: random.pick(ALERTS),
        details: { device: device.hostname, severity: random.pick(["warning", "critical"]) },
      };
    case "ip":
      return {
        ...agent,
        action: "agent.source.ip.changed",
        ...onDevice(device),
        details: { before: { ip: device.ip }, after: { ip: `100.64.${random.int(0, 255)}.${random.int(1, 254)}` } },
      };
    default:
      return {
        orgId,
        actorType: "ai_agent",
        actorId: "triage-assistant",
        action: random.pick(["alert.acknowledge", "script.execute"]),
        resourceType: "device",
        resourceId: device.deviceId,
        resourceName: device.hostname,
        result: "success",
        details: { suggestion: random.pick(SCRIPTS), confidence: random.int(71, 99) / 100 },
      };
  }
}

/**
 * A month of an MSP's life as audit events, oldest first.
 * @param count about how many events
 */
export function tellStory(cast: Cast, random: Random, end: number, count: number): StoryEvent[] {
  const events: StoryEvent[] = [];
  const human = Math.floor(count * 0.22);
  while (events.length < human) {
    let at = workingTime(random, end);
    for (const beat of sitting(cast, random.pick(cast.people), random)) {
      events.push({ ...beat, timestamp: new Date(Math.min(at, end - 1)).toISOString() });
      at += random.int(4_000, 420_000);
    }
  }
  const everyMinutes = (30 * 24 * 60 * cast.devices.length) / (count - events.length);
  for (const device of cast.devices)
    for (const at of regularTimes(random, end, everyMinutes))
      events.push({ ...machineBeats(cast, device, random), timestamp: new Date(at).toISOString() });
  return events.sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
}
