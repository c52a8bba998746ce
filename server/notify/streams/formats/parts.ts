import { isIP } from "node:net";
import { version } from "@/package.json";
import { actorOf, hostOf } from "@/server/audit/sentence";
import { deviceNamed } from "@/server/audit/vocabulary";
import type { StreamedEntry } from "./format";

/** Parts that several formats share. */

export const PRODUCT = { name: "Trailmark", version };

/** An action by its effect, for standards with classes instead of codes. */
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

/** Last part of an action code: its verb, if any. */
export const verbOf = (action: string): string => action.slice(action.lastIndexOf(".") + 1);
export function actOf(action: string): Act {
  const verb = verbOf(action);
  return Object.hasOwn(ACT_OF_VERB, verb) ? (ACT_OF_VERB[verb] ?? "other") : "other";
}

/** True for actions whose failure matters to security monitoring. */
export const isOfSecurity = (action: string): boolean =>
  /^(user|api_key|policy|agent|stream|webhook|organization\.audit_retention|audit)\./.test(action);

/** Host of an entry: the agent's own, the named device, or the target device. */
export function deviceOf({ entry }: StreamedEntry): { name: string; id: string | null } | null {
  const { resource, details } = entry;
  const isDevice = resource.type === "device";
  const name = hostOf(entry) ?? ((isDevice ? resource.name : "") || deviceNamed(details));
  return name ? { name, id: isDevice && resource.name === name && resource.id ? resource.id : null } : null;
}

/** Source address of a request: an IP address, or other text; null if there was none. */
export function addressOf({ entry }: StreamedEntry): { text: string; family: 4 | 6 | null } | null {
  const text = entry.ipAddress;
  if (!text) return null;
  const family = isIP(text);
  return { text, family: family === 4 || family === 6 ? family : null };
}

/** Actor for user columns: the address if known. */
export const userNameOf = ({ entry }: StreamedEntry): string => entry.user.email || actorOf(entry);

/** Filtered entries that fit a marker of 8,192 bytes, beside a checkpoint with witnesses and the hashes before. */
export const MAX_FILTERED_IN_LINE = 40;

/** Cuts to a number of whole characters. */
export function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const head = text.slice(0, characters);
  return head.isWellFormed() ? head : head.slice(0, -1);
}

export const given = <T extends Record<string, unknown>>(members: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined && value !== ""),
  ) as Partial<T>;
