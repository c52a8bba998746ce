import type { FullEntry } from "@/server/audit/schema";
import { devicesNamed } from "@/server/audit/vocabulary";
import { isObject } from "@/server/ground/records";

/** Fields of an entry for rules: wire names, paths into details, and a few combined ones. */

type Values = readonly unknown[];
type Getter = (entry: FullEntry) => Values;

const AGENT = /^Agent \((.+)\)$/;

/** Devices of an entry by name: the resource, the agent's, and those in its details. */
const devicesOf: Getter = ({ resource, user, details }) => [
  ...(resource.type === "device" ? [resource.name] : []),
  ...(AGENT.exec(user.name)?.slice(1) ?? []),
  ...devicesNamed(details),
];

const GETTERS: Readonly<Record<string, Getter>> = {
  id: (e) => [e.id],
  action: (e) => [e.action],
  category: (e) => [e.category],
  actorType: (e) => [e.actorType],
  result: (e) => [e.result],
  timestamp: (e) => [e.timestamp],
  ipAddress: (e) => [e.ipAddress],
  userAgent: (e) => [e.userAgent],
  errorMessage: (e) => [e.errorMessage],
  "user.id": (e) => [e.user.id],
  "user.name": (e) => [e.user.name],
  "user.email": (e) => [e.user.email],
  "user.role": (e) => [e.user.role],
  "resource.type": (e) => [e.resource.type],
  "resource.id": (e) => [e.resource.id],
  "resource.name": (e) => [e.resource.name],
  "submittedBy.keyId": (e) => [e.submittedBy?.keyId],
  "submittedBy.name": (e) => [e.submittedBy?.name],
  device: devicesOf,
  firstSeen: (e) => e.firstSeen ?? [],
  text: (e) => [
    ...[e.action, e.actionLabel, e.user.name, e.user.email, e.resource.type, e.resource.name, e.ipAddress],
    ...[e.errorMessage, JSON.stringify(e.details)],
  ],
};

/** Compared case-sensitively, because programs write these codes and the SQL prefilter uses actions. */
const CODES: ReadonlySet<string> = new Set(["action", "category", "actorType", "result", "firstSeen"]);
export const isCode = (field: string): boolean => CODES.has(field);

const DETAIL = "details.";

function inDetails(path: readonly string[]): Getter {
  return ({ details }) => {
    let value: unknown = details;
    for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return Array.isArray(value) ? value : [value];
  };
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/**
 * Values of an entry's field; empty if missing.
 * @returns undefined for an unknown field
 */
export function getterOf(field: string): Getter | undefined {
  const path = field.startsWith(DETAIL) ? field.slice(DETAIL.length).split(".") : null;
  const get = path?.every(Boolean) ? inDetails(path) : Object.hasOwn(GETTERS, field) ? GETTERS[field] : undefined;
  return get && ((entry) => get(entry).filter(isPresent));
}

export const FIELD_NAMES: readonly string[] = [...Object.keys(GETTERS), "details.…"];

/** A value as text, for comparison and display. */
export const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
