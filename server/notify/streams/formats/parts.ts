import { isIP } from "node:net";
import { version } from "@/package.json";
import { actorOf, hostOf } from "@/server/audit/sentence";
import { deviceNamed } from "@/server/audit/vocabulary";
import type { StreamedEntry } from "./format";

/** Parts that several formats share. */

export const PRODUCT = { name: "Trailmark", version };

/** An action by what it does to its resource, for standards that have classes of acts instead of codes. */
export type Act = "create" | "read" | "update" | "delete" | "other";

const ACT_OF_VERB: Readonly<Record<string, Act>> = {
  create: "create",
  add: "create",
  invite: "create",
  enroll: "create",
  install: "create",
  raise: "create",
  view: "read",
  read: "read",
  get: "read",
  access: "read",
  export: "read",
  download: "read",
  open: "read",
  verify: "read",
  evidence: "read",
  proof: "read",
  live_query: "read",
  update: "update",
  change: "update",
  set: "update",
  enable: "update",
  disable: "update",
  rotate: "update",
  rename: "update",
  delete: "delete",
  remove: "delete",
  revoke: "delete",
  release: "delete",
  prune: "delete",
  uninstall: "delete",
};

/** The last part of an action code: its verb, where it has one. */
export const verbOf = (action: string): string => action.slice(action.lastIndexOf(".") + 1);
export function actOf(action: string): Act {
  const verb = verbOf(action);
  return Object.hasOwn(ACT_OF_VERB, verb) ? (ACT_OF_VERB[verb] ?? "other") : "other";
}

/** Acts that somebody watching security wants to see when they fail. */
export const isOfSecurity = (action: string): boolean =>
  /^(user|api_key|policy|agent|stream|webhook|organization\.audit_retention|audit)\./.test(action);

/** The host that an entry is about: the agent's own, the device it names, or the device it was done to. */
export function deviceOf({ entry }: StreamedEntry): { name: string; id: string | null } | null {
  const { resource, details } = entry;
  const isDevice = resource.type === "device";
  const name = hostOf(entry) ?? ((isDevice ? resource.name : "") || deviceNamed(details));
  return name ? { name, id: isDevice && resource.name === name && resource.id ? resource.id : null } : null;
}

/** The address that a request came from: an IP address, or as text what is none; null where there was none. */
export function addressOf({ entry }: StreamedEntry): { text: string; family: 4 | 6 | null } | null {
  const text = entry.ipAddress;
  if (!text) return null;
  const family = isIP(text);
  return { text, family: family === 4 || family === 6 ? family : null };
}

/** The name of the actor for columns of users: the address where one is known. */
export const userNameOf = ({ entry }: StreamedEntry): string => entry.user.email || actorOf(entry);

/** The most filtered entries in a marker of 8,192 bytes, beside a checkpoint with witnesses and the hashes before. */
export const MAX_FILTERED_IN_LINE = 40;

/** At most so many characters, none of them half. */
export function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const head = text.slice(0, characters);
  return head.isWellFormed() ? head : head.slice(0, -1);
}

/** Members that have a value; JSON has no others. */
export const given = <T extends Record<string, unknown>>(members: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined && value !== ""),
  ) as Partial<T>;
