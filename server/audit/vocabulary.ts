import { keysOf } from "@/server/ground/records";

/** Enumerations, labels and limits of the audit log. No zod, because the browser imports them too. */

/** Spec, Audit log entry. */
export const ACTOR_TYPE_LABEL = {
  user: "User",
  api_key: "API key",
  agent: "Agent",
  system: "System",
  ai_agent: "AI agent",
} as const;
export const RESULT_LABEL = { success: "Success", failure: "Failure", denied: "Denied" } as const;
/** Spec, Action categories. */
export const CATEGORY_LABEL = {
  authentication: "Authentication",
  device: "Device",
  automation: "Automation",
  policy: "Policy",
  alert: "Alert",
  compliance: "Compliance",
  organization: "Organization",
  system: "System",
} as const;

/** Recorder of an entry, as filter values: an API key or this server. */
export const SUBMITTED_LABEL = { true: "By a key", false: "By this server" } as const;
/** Facts about an actor that can be new in an entry; a network is a /24, for IPv6 a /48. */
export const FIRST_SEEN_LABEL = {
  address: "New address",
  network: "New network",
  userAgent: "New user agent",
} as const;

export type ActorType = keyof typeof ACTOR_TYPE_LABEL;
export type AuditResult = keyof typeof RESULT_LABEL;
export type FirstSeen = keyof typeof FIRST_SEEN_LABEL;
export type Category = keyof typeof CATEGORY_LABEL;

export const ACTOR_TYPES = keysOf(ACTOR_TYPE_LABEL);
export const RESULTS = keysOf(RESULT_LABEL);
export const FIRST_SEEN = keysOf(FIRST_SEEN_LABEL);
export const CATEGORIES = keysOf(CATEGORY_LABEL);

/** Kinds of things that a search may name. */
export const NAME_KINDS = ["device", "actor", "organization"] as const;
export type NameKind = (typeof NAME_KINDS)[number];
/** A device, actor or organization, and the lowercase terms for it. */
export type KnownName = { kind: NameKind; id: string; name: string; called: string[] };

/** Telemetry of agents around the clock, which outnumbers people's actions a hundred to one. */
export const ROUTINE_ACTIONS: readonly string[] = ["agent.eventlogs.submit", "agent.logs.submit", "agent.heartbeat"];
/** Filter on routine telemetry that succeeded: excluded, or exclusively. */
export const ROUTINE = ["without", "only"] as const;
export type Routine = (typeof ROUTINE)[number];

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 100;
/** Entries per print: as many as a person can read. */
export const MAX_PRINTED = 1_000;
export const MAX_EVENTS_PER_REQUEST = 500;
/** Entries that a browser session may save without a recent identity check: as many as it may print. */
export const MAX_UNPROVEN_ROWS = 1_000;
/** Spec, Limits: export rows. */
export const MAX_EXPORT_ROWS = 10_000;
/** Limit of details as JSON text: the log is not a file store. */
export const MAX_DETAILS_BYTES = 64 * 1024;
/** Maximum characters of the columns of audit_logs; the database has no limit on text columns. */
export const MAX_LENGTH = {
  actorEmail: 255,
  action: 100,
  resourceType: 50,
  resourceName: 255,
  ipAddress: 45,
  userAgent: 8192,
  errorMessage: 65_536,
  rawId: 1024,
} as const;
/** Maximum characters of a filter's comma-separated values. */
export const MAX_FILTER_LIST_LENGTH = 4096;
/** Terms from this length on are found by the index, exactly at any length of history. */
export const MIN_INDEXED_TERM = 3;

/** Facts of an alarm that determine its kind. */
type Alarm = { source: string; breaks: readonly { kind: string }[] };

/**
 * True if an alarm is only about a chain's head or end. A repeated alarm keeps its first source and the last findings,
 * so any other break means damaged entries.
 */
export const isHeadAlarm = ({ source, breaks }: Alarm): boolean =>
  source === "head" && breaks.every(({ kind }) => kind === "truncated");

/** Members of details that name a device (db: audit_devices_named). */
const MEMBERS = ["device", "deviceName", "hostname"] as const;

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? new Map(Object.entries(value)).get(name)
    : undefined;

/** Hostnames of devices in an entry's details. Isomorphic. */
export function devicesNamed(details: Record<string, unknown>): string[] {
  const { device } = details;
  const named = [...MEMBERS.map((member) => details[member]), memberOf(device, "name"), memberOf(device, "hostname")];
  return named.map(textOf).filter((text) => text !== null);
}

/** First device named in details; null if there is none. */
export const deviceNamed = (details: Record<string, unknown>): string | null => devicesNamed(details)[0] ?? null;
