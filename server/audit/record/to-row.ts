import type { AuditInsert, NullableField } from "@/server/audit/row";
import { MAX_DETAILS_BYTES, MAX_LENGTH } from "@/server/audit/vocabulary";
import { ZERO_UUID } from "@/server/ground/context";
import { writeExact } from "@/server/ground/exact-json";
import { isUuid } from "@/server/ground/ids";
import { isObject } from "@/server/ground/records";
import { repairText } from "@/server/ground/text";

const MAX_DEPTH = 32;
const MAX_NODES = 50_000;
const MASK = "[redacted]";

/** Names of values that must never be stored, compared without case and punctuation; counts and flags of them pass. */
const SECRET_NAME =
  /(password|passwd|passphrase|passcode|secret|token|apikey|privatekey|secretkey|accesskey|signingkey|encryptionkey|enrollmentkey|authorization|credential|cookie|(password|token|key|secret)hash)s?$|^(pwd|pass|jwt|bearer|otp|totp|pin|cvv)$/;
const MAY_HOLD_SECRET = /pass|pwd|secret|token|key|authorization|credential|cookie|jwt|bearer|otp|pin|cvv/i;
const MAY_NEED_REPAIR = /\\u0000|\\u[dD][89a-fA-F]|"__proto__"|"constructor"|"prototype"/;
const PROTOTYPE_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/** True for a member name such as apiKey, refresh_token or X-Auth-Cookie. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name.toLowerCase().replace(/[^a-z0-9]/g, ""));

/** Counts and flags of secrets give nothing away. */
const isHarmless = (value: unknown): boolean => value === null || typeof value === "boolean";

type Walk = { nodes: number; ancestors: Set<object> };

function cleanObject(value: object, walk: Walk, depth: number): unknown {
  if ("toJSON" in value && typeof value.toJSON === "function") return clean(value.toJSON(), walk, depth + 1);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => clean(item, walk, depth + 1) ?? null);
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (PROTOTYPE_KEYS.has(key)) continue;
    copy[repairText(key)] = !isHarmless(item) && isSecretName(key) ? MASK : clean(item, walk, depth + 1);
  }
  return copy;
}

/** A copy that JSON, PostgreSQL and a reader can take, regardless of what the caller passed. */
function clean(value: unknown, walk: Walk, depth: number): unknown {
  if (typeof value === "string") return repairText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH || ++walk.nodes > MAX_NODES) return "[truncated]";
  if (walk.ancestors.has(value)) return "[circular]";
  walk.ancestors.add(value);
  const copy = cleanObject(value, walk, depth);
  walk.ancestors.delete(value);
  return copy;
}

/** True when a value can be stored as it is: nothing to repair, nothing to mask. */
function isClean(value: unknown): boolean {
  if (typeof value === "string") return repairText(value) === value;
  if (Array.isArray(value)) return value.every(isClean);
  if (!isObject(value)) return true;
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (MAY_HOLD_SECRET.test(key) && !isHarmless(item) && isSecretName(key)) return false;
    if (repairText(key) !== key || !isClean(item)) return false;
  }
  return true;
}

/**
 * What an agent sends beside a message, as it may be stored: secrets masked, text repaired. The door has bounded it
 * already, so nothing is cut. What needs neither is returned as it is, uncopied.
 */
export function storableDetails<T extends object | null | undefined>(details: T): T {
  if (!details || isClean(details)) return details;
  return clean(details, { nodes: Number.NEGATIVE_INFINITY, ancestors: new Set() }, 1) as T;
}

function plainText(details: object): string | null {
  try {
    const text = JSON.stringify(details);
    return MAY_HOLD_SECRET.test(text) || MAY_NEED_REPAIR.test(text) ? null : text;
  } catch {
    return null;
  }
}

/**
 * Details as the JSON text to store: secrets masked, NUL and lone surrogates repaired, prototype keys left out,
 * cycles and depths over 32 cut. Most details need none of it, which their text shows at once.
 */
export function detailsText(details: Record<string, unknown>): string {
  const text = plainText(details) ?? JSON.stringify(clean(details, { nodes: 0, ancestors: new Set() }, 1)) ?? "{}";
  return writeExact(text);
}

/** Details over the limit, cut down: members stay in order while they fit, the rest is named with its size. */
export function condenseDetails(text: string, maxBytes: number): string {
  const size = Buffer.byteLength(text);
  if (size <= maxBytes) return text;
  const kept: Record<string, unknown> = { truncated: true, originalBytes: size };
  let room = maxBytes - 1024;
  for (const [key, value] of Object.entries<unknown>(JSON.parse(text))) {
    const bytes = Buffer.byteLength(JSON.stringify(value)) + Buffer.byteLength(key) + 4;
    const note = bytes <= room ? value : `[${bytes} bytes left out]`;
    const cost = bytes <= room ? bytes : Buffer.byteLength(key) + 40;
    if (cost > room) break;
    kept[key] = note;
    room -= cost;
  }
  return JSON.stringify(kept);
}

type EventValues = Omit<AuditInsert, "timestamp" | "actorId" | "details"> & {
  timestamp: Date;
  actorId: string | null;
  details: Record<string, unknown> | null;
};

/** An event whose organization and actor are known, before the table's rules are applied. */
export type RowInput = Omit<EventValues, NullableField> & Partial<Pick<EventValues, NullableField>>;

const CUT = "…";

/** Cuts to whole characters as PostgreSQL counts them, the last one being the mark of the cut. */
function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const characters = [...text];
  return characters.length <= max ? text : characters.slice(0, max - 1).join("") + CUT;
}

const column = (text: string | null | undefined, max: number): string | null =>
  text == null ? null : clip(repairText(text), max);

/**
 * An event as the row to append. Spec, rules for non-UUID identifiers: the zero UUID stands in for a foreign one, which
 * stays in details as rawActorId or rawResourceId. Text is repaired, secrets are masked, overlong values are cut with a
 * mark (the door refuses them first; what the platform itself records must never fail). Details keep their size.
 */
export function toRow(input: RowInput): AuditInsert {
  const raw: Record<string, string> = {};
  let actorId = input.actorId ?? ZERO_UUID;
  if (!isUuid(actorId)) {
    raw.rawActorId = actorId;
    actorId = ZERO_UUID;
  }
  let resourceId = input.resourceId ?? null;
  if (resourceId !== null && !isUuid(resourceId)) {
    raw.rawResourceId = resourceId;
    resourceId = ZERO_UUID;
  }
  const hasRaw = raw.rawActorId !== undefined || raw.rawResourceId !== undefined;
  const details = hasRaw ? { ...input.details, ...raw } : input.details;
  return {
    id: input.id.toLowerCase(),
    orgId: input.orgId.toLowerCase(),
    timestamp: input.timestamp.toISOString(),
    actorType: input.actorType,
    actorId: actorId.toLowerCase(),
    actorEmail: column(input.actorEmail, MAX_LENGTH.actorEmail),
    action: clip(repairText(input.action), MAX_LENGTH.action),
    resourceType: clip(repairText(input.resourceType), MAX_LENGTH.resourceType),
    resourceId: resourceId === null ? null : resourceId.toLowerCase(),
    resourceName: column(input.resourceName, MAX_LENGTH.resourceName),
    details: details == null ? null : detailsText(details),
    ipAddress: column(input.ipAddress, MAX_LENGTH.ipAddress),
    userAgent: column(input.userAgent, MAX_LENGTH.userAgent),
    result: input.result,
    errorMessage: column(input.errorMessage, MAX_LENGTH.errorMessage),
  };
}

/** True when a row's details are larger than an entry may carry. */
export const isOversized = (row: AuditInsert): boolean =>
  row.details !== null &&
  row.details.length * 3 > MAX_DETAILS_BYTES &&
  Buffer.byteLength(row.details) > MAX_DETAILS_BYTES;

/** The row with its details cut to the limit, for events of the platform itself. */
export const condensed = (row: AuditInsert): AuditInsert =>
  isOversized(row) && row.details !== null ? { ...row, details: condenseDetails(row.details, MAX_DETAILS_BYTES) } : row;
