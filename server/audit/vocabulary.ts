import { keysOf } from "@/server/ground/records";

/** Enumerations, labels and limits of the audit log, free of zod: the browser's scripts import them too. */

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

/** The recorder of an entry, as the values of a filter: a key submitted it, or this server recorded it. */
export const SUBMITTED_LABEL = { true: "By a key", false: "By this server" } as const;
/** Facts of an actor that an entry can show for the first time; a network is a /24, of IPv6 a /48. */
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

/** Things that the words of a search may name. */
export const NAME_KINDS = ["device", "actor", "organization"] as const;
export type NameKind = (typeof NAME_KINDS)[number];
/** A device, an actor or an organization, and the words and phrases that it may be called by, in small letters. */
export type KnownName = { kind: NameKind; id: string; name: string; called: string[] };

/** Telemetry of agents around the clock; it outnumbers people's actions a hundred to one. */
export const ROUTINE_ACTIONS: readonly string[] = ["agent.eventlogs.submit", "agent.logs.submit", "agent.heartbeat"];
/** How a filter takes routine telemetry that succeeded: left out, or alone. */
export const ROUTINE = ["without", "only"] as const;
export type Routine = (typeof ROUTINE)[number];

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 100;
/** Entries on paper: what a person can still read. */
export const MAX_PRINTED = 1_000;
export const MAX_EVENTS_PER_REQUEST = 500;
/** So many entries may leave a browser's session as a file without a recent proof of who is there: as many as are printed. */
export const MAX_UNPROVEN_ROWS = 1_000;
/** Spec, Limits: export rows. */
export const MAX_EXPORT_ROWS = 10_000;
/** Size of the details as JSON text: a log entry is no file store. */
export const MAX_DETAILS_BYTES = 64 * 1024;
/** Characters of the columns of audit_logs; the text columns have no limit in the database. */
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
/** Characters of a comma-separated list of a filter's values. */
export const MAX_FILTER_LIST_LENGTH = 4096;
/** Search terms of at least this many characters are found by the index, exactly at any length of history. */
export const MIN_INDEXED_TERM = 3;

/** The known facts of an alarm, as far as they name its kind. */
type Alarm = { source: string; breaks: readonly { kind: string }[] };

/**
 * Whether an alarm is of a chain's head or end alone. One that is raised again keeps its first source and has what was found
 * last (which a lost head does not replace), so any other break among those says that the entries themselves are broken.
 */
export const isHeadAlarm = ({ source, breaks }: Alarm): boolean =>
  source === "head" && breaks.every(({ kind }) => kind === "truncated");

/** Members of details in which an entry names a device (db: audit_devices_named). */
const MEMBERS = ["device", "deviceName", "hostname"] as const;

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? new Map(Object.entries(value)).get(name)
    : undefined;

/** The devices that an entry's details name, by hostname. Isomorphic. */
export function devicesNamed(details: Record<string, unknown>): string[] {
  const { device } = details;
  const named = [...MEMBERS.map((member) => details[member]), memberOf(device, "name"), memberOf(device, "hostname")];
  return named.map(textOf).filter((text) => text !== null);
}

/** The first of them; null where they name none. */
export const deviceNamed = (details: Record<string, unknown>): string | null => devicesNamed(details)[0] ?? null;
