import { fromKeys, keysOf } from "@/server/ground/records";
import { type Cast, type Device, ORGS, type Person } from "@/testing/world/cast";
import type { Random } from "@/testing/world/random";
import { ALERT_NAMES, type Beat, onDevice, POLICIES, SCRIPTS } from "./beats";

const FIELDS = ["Asset tag", "Warranty until", "Location", "Owner"];

/** Actor, organization and origin of an event. */
export type Who = Pick<Beat, "orgId" | "actorType" | "actorId" | "actorEmail" | "ipAddress" | "userAgent">;
type Scene = { cast: Cast; who: Who; person: Person; device: Device; random: Random; sessionId: string };

/** An action with its weights for viewers, technicians and admins, and an event's own members. */
type Deed = {
  weights: [viewer: number, technician: number, admin: number];
  tell: (scene: Scene) => Pick<Beat, "action" | "resourceType"> & Partial<Beat>;
};

const isViewer = ({ role }: Person): boolean => role === "org_viewer";

const access: Deed["tell"] = ({ device, random }) => ({
  action: "data.access",
  ...onDevice(device),
  details: { view: random.pick(["inventory", "event logs", "remote console", "documents"]) },
});

const DEEDS = {
  access: { weights: [88, 18, 18], tell: access },
  denied: {
    weights: [12, 2, 0],
    tell: ({ person, random }) => ({
      ...(isViewer(person)
        ? { action: "data.export", resourceType: "audit_log", resourceName: "Audit log" }
        : { action: "policy.update", resourceType: "policy", resourceName: random.pick(POLICIES) }),
      result: "denied",
      errorMessage: `Role ${person.role} lacks the permission`,
    }),
  },
  live: {
    weights: [0, 14, 14],
    tell: ({ device, random }) => ({
      action: "device.eventlogs.live_query",
      ...onDevice(device),
      details: { log: random.pick(["System", "Security", "Application"]), level: "error" },
    }),
  },
  script: {
    weights: [0, 22, 16],
    tell: ({ device, random }) => ({
      ...(random.chance(0.07) ? { result: "failure", errorMessage: "Exit code 1: access is denied" } : {}),
      action: "script.execute",
      ...onDevice(device),
      details: { script: random.pick(SCRIPTS), durationMs: random.int(400, 45_000), runAs: "system" },
    }),
  },
  policy: {
    weights: [0, 0, 14],
    tell: ({ random }) => {
      const before = { lockAfterMinutes: random.pick([15, 30, 60]), enforce: false };
      return {
        action: random.chance(0.12) ? "policy.create" : "policy.update",
        resourceType: "policy",
        resourceName: random.pick(POLICIES),
        details: { before, after: { lockAfterMinutes: random.pick([5, 10]), enforce: true } },
      };
    },
  },
  alert: {
    weights: [0, 18, 14],
    tell: ({ device, random }) => ({
      action: random.pick(["alert.acknowledge", "alert.resolve"]),
      resourceType: "alert",
      resourceName: random.pick(ALERT_NAMES),
      details: { device: device.hostname },
    }),
  },
  field: {
    weights: [0, 7, 7],
    tell: ({ device, random }) => {
      const field = random.pick(FIELDS);
      const after = { [field]: `${device.kind}-${random.int(1000, 9999)}` };
      return {
        action: "device.custom_fields.update",
        ...onDevice(device),
        details: { before: { [field]: null }, after },
      };
    },
  },
  update: {
    weights: [0, 6, 6],
    tell: ({ device, random }) => {
      const site = random.pick(["Main office", "Warehouse", "Reception"]);
      const before = { site: "Unassigned", tags: [] };
      return {
        action: "device.update",
        ...onDevice(device),
        details: { before, after: { site, tags: ["monitored"] } },
      };
    },
  },
  permission: {
    weights: [0, 0, 2],
    tell: (scene) => {
      // Never a person's own role; ends with the person's current role.
      const others = scene.cast.people.filter(({ id, org }) => id !== scene.person.id && org === scene.person.org);
      const { id: resourceId, name: resourceName, role } = scene.random.pick(others);
      const before = role.startsWith("partner") ? "partner_technician" : "org_viewer";
      if (before === role) return access(scene);
      const user = { resourceType: "user", resourceId, resourceName };
      return { action: "user.permission.change", ...user, details: { before: { role: before }, after: { role } } };
    },
  },
  export: {
    weights: [0, 0, 3],
    tell: ({ random }) => ({
      action: "data.export",
      resourceType: "audit_log",
      resourceName: "Audit log",
      details: { format: random.pick(["csv", "json"]), rows: random.int(40, 9000) },
    }),
  },
  org: {
    weights: [0, 0, 1],
    tell: ({ who, device }) => ({
      action: "organization.update",
      resourceType: "organization",
      resourceId: who.orgId,
      resourceName: ORGS[device.org]?.name ?? "",
      details: { before: { contact: "front desk" }, after: { contact: "IT lead" } },
    }),
  },
} satisfies Record<string, Deed>;

function weightsOf(person: Person): Record<keyof typeof DEEDS, number> {
  const column = isViewer(person) ? 0 : person.role.endsWith("admin") ? 2 : 1;
  return fromKeys(keysOf(DEEDS), (name) => DEEDS[name].weights[column]);
}

/** A random action of a person, weighted and permitted by role. */
export function deed(scene: Scene): Beat {
  const { tell }: Deed = DEEDS[scene.random.weighted(weightsOf(scene.person))];
  const { details, ...told } = tell(scene);
  return { ...scene.who, result: "success", ...told, details: { sessionId: scene.sessionId, ...details } };
}
