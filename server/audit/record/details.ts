import { writeExact } from "@/server/ground/exact-json";
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
