import { type Cast, type Device, ORGS, type Person } from "@/testing/world/cast";
import type { Random } from "@/testing/world/random";
import { ALERT_NAMES, type Beat, onDevice, POLICIES, SCRIPTS } from "./beats";

const FIELDS = ["Asset tag", "Warranty until", "Location", "Owner"];

/** Actor, organization and origin of an event. */
export type Who = Pick<Beat, "orgId" | "actorType" | "actorId" | "actorEmail" | "ipAddress" | "userAgent">;
type Scene = { cast: Cast; who: Who; person: Person; device: Device; random: Random; sessionId: string };

const done = ({ who }: Scene) => ({ ...who, result: "success" as const });

const DEEDS = {
  access: (scene: Scene): Beat => ({
    ...done(scene),
    action: "data.access",
    ...onDevice(scene.device),
    details: {
      sessionId: scene.sessionId,
      view: scene.random.pick(["inventory", "event logs", "remote console", "documents"]),
    },
  }),
  denied: ({ who, person, random, sessionId }: Scene): Beat => ({
    ...who,
    ...(isViewer(person)
      ? { action: "data.export", resourceType: "audit_log", resourceName: "Audit log" }
      : { action: "policy.update", resourceType: "policy", resourceName: random.pick(POLICIES) }),
    result: "denied",
    errorMessage: `Role ${person.role} lacks the permission`,
    details: { sessionId },
  }),
  live: (scene: Scene): Beat => ({
    ...done(scene),
    action: "device.eventlogs.live_query",
    ...onDevice(scene.device),
    details: {
      sessionId: scene.sessionId,
      log: scene.random.pick(["System", "Security", "Application"]),
      level: "error",
    },
  }),
  script: ({ who, device, random, sessionId }: Scene): Beat => {
    const failed = random.chance(0.07);
    return {
      ...who,
      action: "script.execute",
      ...onDevice(device),
      result: failed ? "failure" : "success",
      ...(failed ? { errorMessage: "Exit code 1: access is denied" } : {}),
      details: { sessionId, script: random.pick(SCRIPTS), durationMs: random.int(400, 45_000), runAs: "system" },
    };
  },
  policy: (scene: Scene): Beat => {
    const { random, sessionId } = scene;
    const before = random.pick([15, 30, 60]);
    return {
      ...done(scene),
      action: random.chance(0.12) ? "policy.create" : "policy.update",
      resourceType: "policy",
      resourceName: random.pick(POLICIES),
      details: {
        sessionId,
        before: { lockAfterMinutes: before, enforce: false },
        after: { lockAfterMinutes: random.pick([5, 10]), enforce: true },
      },
    };
  },
  alert: (scene: Scene): Beat => ({
    ...done(scene),
    action: scene.random.pick(["alert.acknowledge", "alert.resolve"]),
    resourceType: "alert",
    resourceName: scene.random.pick(ALERT_NAMES),
    details: { sessionId: scene.sessionId, device: scene.device.hostname },
  }),
  field: (scene: Scene): Beat => {
    const { device, random, sessionId } = scene;
    const field = random.pick(FIELDS);
    return {
      ...done(scene),
      action: "device.custom_fields.update",
      ...onDevice(device),
      details: {
        sessionId,
        before: { [field]: null },
        after: { [field]: `${device.kind}-${random.int(1000, 9999)}` },
      },
    };
  },
  update: (scene: Scene): Beat => ({
    ...done(scene),
    action: "device.update",
    ...onDevice(scene.device),
    details: {
      sessionId: scene.sessionId,
      before: { site: "Unassigned", tags: [] },
      after: { site: scene.random.pick(["Main office", "Warehouse", "Reception"]), tags: ["monitored"] },
    },
  }),
  permission: (scene: Scene): Beat => {
    // Never a person's own role; ends with the person's current role.
    const others = scene.cast.people.filter(({ id, org }) => id !== scene.person.id && org === scene.person.org);
    const other = scene.random.pick(others);
    const before = other.role.startsWith("partner") ? "partner_technician" : "org_viewer";
    if (before === other.role) return DEEDS.access(scene);
    return {
      ...done(scene),
      action: "user.permission.change",
      resourceType: "user",
      resourceId: other.id,
      resourceName: other.name,
      details: { sessionId: scene.sessionId, before: { role: before }, after: { role: other.role } },
    };
  },
  export: (scene: Scene): Beat => ({
    ...done(scene),
    action: "data.export",
    resourceType: "audit_log",
    resourceName: "Audit log",
    details: {
      sessionId: scene.sessionId,
      format: scene.random.pick(["csv", "json"]),
      rows: scene.random.int(40, 9000),
    },
  }),
  org: (scene: Scene): Beat => ({
    ...done(scene),
    action: "organization.update",
    resourceType: "organization",
    resourceId: scene.who.orgId,
    resourceName: ORGS[scene.device.org]?.name ?? "",
    details: { sessionId: scene.sessionId, before: { contact: "front desk" }, after: { contact: "IT lead" } },
  }),
};

type Weights = Record<keyof typeof DEEDS, number>;
// Same key order in both, so that equal seeds create equal months.
const VIEWER: Weights = {
  access: 88,
  denied: 12,
  live: 0,
  script: 0,
  policy: 0,
  alert: 0,
  field: 0,
  update: 0,
  permission: 0,
  export: 0,
  org: 0,
};
const TECHNICIAN: Weights = {
  access: 18,
  denied: 2,
  live: 14,
  script: 22,
  policy: 0,
  alert: 18,
  field: 7,
  update: 6,
  permission: 0,
  export: 0,
  org: 0,
};
const ADMIN: Weights = {
  access: 18,
  denied: 0,
  live: 14,
  script: 16,
  policy: 14,
  alert: 14,
  field: 7,
  update: 6,
  permission: 2,
  export: 3,
  org: 1,
};

const weightsOf = ({ role }: Person): Weights =>
  role === "org_viewer" ? VIEWER : role.endsWith("admin") ? ADMIN : TECHNICIAN;
const isViewer = ({ role }: Person): boolean => role === "org_viewer";

/** A random action of a person, weighted and permitted by role. */
export const deed = (scene: Scene): Beat => DEEDS[scene.random.weighted(weightsOf(scene.person))](scene);
