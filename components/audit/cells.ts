import { dateTime } from "@/components/format/time";
import type { FilterName } from "@/server/audit/query/catalogue";
import { actorOf, hostOf } from "@/server/audit/sentence";
import { ACTOR_TYPE_LABEL, deviceNamed, RESULT_LABEL } from "@/server/audit/vocabulary";
import { actorPath, addressPath, type Entry } from "./entry";
import { actorIdOf, resourceIdOf } from "./state/describe-filters";
import type { ColumnId } from "./state/table-params";

/** The device that an entry is about, originates from, or mentions. */
const deviceOf = (entry: Entry): string =>
  hostOf(entry) ?? (entry.resource.type === "device" ? entry.resource.name : (deviceNamed(entry.details) ?? ""));

/** Entries contain the id of their own device only; other devices are looked up by name. */
function deviceDoor(entry: Entry): string | null {
  const host = deviceOf(entry);
  const id = resourceIdOf(entry);
  if (entry.resource.type === "device" && entry.resource.name === host && id) return `/devices/${id}`;
  return host ? `/devices?search=${encodeURIComponent(host)}` : null;
}

/** An agent's page is its device's. */
function actorDoor(entry: Entry): string | null {
  if (hostOf(entry)) return deviceDoor(entry);
  const id = actorIdOf(entry);
  return id ? actorPath(id) : null;
}

const TARGET_PATH: Readonly<Record<string, (id: string) => string>> = {
  device: (id) => `/devices/${id}`,
  organization: (id) => `/organizations/${id}`,
  user: actorPath,
  api_key: actorPath,
};

function targetDoor(entry: Entry): string | null {
  const id = resourceIdOf(entry);
  return (id && TARGET_PATH[entry.resource.type]?.(id)) ?? null;
}

const DOOR: Partial<Record<ColumnId, (entry: Entry) => string | null>> = {
  type: actorDoor,
  event: actorDoor,
  email: actorDoor,
  device: deviceDoor,
  resourceType: targetDoor,
  org: ({ orgId }) => `/organizations/${orgId}`,
  ip: ({ ipAddress }) => (ipAddress ? addressPath(ipAddress) : null),
};

/** URL of the page for a column's value; null without one. */
export const doorOf = (column: ColumnId, entry: Entry): string | null => DOOR[column]?.(entry) ?? null;

/** A cell's text, and the filter and value that match it. */
type Cell = { text: string; filter?: FilterName; value?: string | null };

export type Context = { zone: string; orgName: (orgId: string) => string };

export const CELL: Record<ColumnId, (entry: Entry, context: Context) => Cell> = {
  time: ({ timestamp }, { zone }) => ({ text: dateTime(timestamp, zone) }),
  type: ({ actorType }) => ({ text: ACTOR_TYPE_LABEL[actorType], filter: "actorType", value: actorType }),
  event: (entry) => ({ text: actorOf(entry), filter: "actorId", value: actorIdOf(entry) }),
  action: ({ action }) => ({ text: action, filter: "actions", value: action }),
  org: ({ orgId }, { orgName }) => ({ text: orgName(orgId), filter: "orgId", value: orgId }),
  resourceType: ({ resource }) => ({ text: resource.type, filter: "resourceType", value: resource.type }),
  device: (entry) => ({ text: deviceOf(entry), filter: "device", value: deviceOf(entry) }),
  ip: ({ ipAddress }) => ({ text: ipAddress, filter: "ip", value: ipAddress }),
  email: (entry) => ({ text: entry.user.email, filter: "actorId", value: actorIdOf(entry) }),
  seq: ({ chainSeq }) => ({ text: String(chainSeq) }),
  result: ({ result }) => ({ text: RESULT_LABEL[result], filter: "result", value: result }),
};
