import { writeExact } from "@/server/ground/exact-json";
import { isObject } from "@/server/ground/records";
import { repairText } from "@/server/ground/text";

const MAX_DEPTH = 32;
const MAX_NODES = 50_000;
const MASK = "[redacted]";

/** Words in names whose values are never stored, compared without case and punctuation. */
const SECRET_WORD =
  /password|passwd|passphrase|passcode|secret|token|apikey|privatekey|secretkey|accesskey|signingkey|encryptionkey|enrollmentkey|sshkey|wifikey|recovery(code|key)|connectionstring|authorization|credential|cookie|(mfa|otp|verification|onetime|backup)code|(password|token|key|secret)hash/;
const SECRET_NAME = /^(pwd|pass|jwt|bearer|otp|totp|pin|cvv|psk|laps)$/;
/** Counts, times, ids and settings about secrets are harmless. */
const ABOUT_SECRET =
  /(count|length|age|days|policy|rules?|expiry|expires|expiration|expire[sd]?at|expiresin|(changed|created|used|reset|rotated|issued|set|revoked)(at|by|on)?|ids?|types?|kind|names?|prefix|required|enabled|expired|lifetime|ttl|version|scopes?|status|state|url|uri)$/;
/** Quick test for names and texts that may hold a secret; all others pass. */
const MAY_HOLD_SECRET =
  /pass|pwd|secret|token|key|authorization|credential|cookie|jwt|bearer|code|otp|mfa|2fa|pin|cvv|psk|laps|connection.?string|tm[aek]_|:\/\/[^\s/"]{0,300}@/i;
/** Members that name their sibling `value`, as in lists of headers. */
const NAMING = ["name", "key", "header", "field"];

const MAY_NEED_REPAIR = /\\u0000|\\u[dD][89a-fA-F]|"__proto__"|"constructor"|"prototype"/;
const PROTOTYPE_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/** True for a member name such as apiKey, refresh_token or X-Auth-Cookie. */
export function isSecretName(name: string): boolean {
  if (!MAY_HOLD_SECRET.test(name)) return false;
  const words = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return SECRET_NAME.test(words) || (SECRET_WORD.test(words) && !ABOUT_SECRET.test(words));
}

/** Flags about secrets are harmless. */
const isHarmless = (value: unknown): boolean => value === null || typeof value === "boolean";

const NAMED = "(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|private[_-]?key|access[_-]?key|credential)";
/** Secrets within texts, with their context; every part is bounded, so that no text takes long. */
const IN_TEXT: readonly [RegExp, string][] = [
  // Our own keys: ground/secrets.ts.
  [/\btm[aek]_[\w-]{16,}/g, MASK],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*-----|$)/g, MASK],
  [/(:\/\/[^\s/:@"']{0,200}:)[^\s/@"']{1,200}(?=@)/g, `$1${MASK}`],
  [/\b(bearer\s+)(?=\S{0,200}\d)[\w.~+/=-]{8,}/gi, `$1${MASK}`],
  [/\b(authorization["']?\s?[:=]\s?["']?(?:basic|digest|negotiate)\s+)[^"'\r\n]+/gi, `$1${MASK}`],
  // --password x, /password:x, password=x, "clientSecret":"x"; but not a sentence such as "Password: too short".
  [new RegExp(`((?:^|\\s)--?[\\w-]{0,40}?${NAMED}[\\w-]{0,40}(?:\\s|=)["']?)[^\\s"']+`, "gi"), `$1${MASK}`],
  [new RegExp(`(${NAMED}[\\w-]{0,40}(?:=|:(?=\\S)|["']\\s?:\\s?)["']?)[^\\s"'&;,}]+`, "gi"), `$1${MASK}`],
  [
    /\b((?:(?:one-time|verification|security) (?:code|password|pin)|(?:mfa|otp|2fa)(?: code)?)(?: is |: ?| ))\d{4,8}\b/gi,
    `$1${MASK}`,
  ],
];

const MAY_HOLD_IN_TEXT =
  /passw|passphrase|pwd|secret|token|(api|private|access)[_ -]?key|credential|bearer|authorization|tm[aek]_|code|otp|mfa|2fa|:\/\/[^\s/"]{0,300}@/i;

export function maskedText(text: string): string {
  if (!MAY_HOLD_IN_TEXT.test(text)) return text;
  return IN_TEXT.reduce((masked, [secret, mask]) => masked.replace(secret, mask), text);
}

/** True for an object that pairs a secret's name with its value. */
const isNamedSecret = (value: Record<string, unknown>): boolean =>
  "value" in value &&
  !isHarmless(value.value) &&
  NAMING.some((member) => typeof value[member] === "string" && isSecretName(value[member]));

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
  if (isNamedSecret(copy)) copy.value = MASK;
  return copy;
}

/** Copies any value into a form that JSON, PostgreSQL and a reader accept. */
function clean(value: unknown, walk: Walk, depth: number): unknown {
  if (typeof value === "string") return maskedText(repairText(value));
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH || ++walk.nodes > MAX_NODES) return "[truncated]";
  if (walk.ancestors.has(value)) return "[circular]";
  walk.ancestors.add(value);
  const copy = cleanObject(value, walk, depth);
  walk.ancestors.delete(value);
  return copy;
}

/** True if a value needs no repair and no mask. */
function isClean(value: unknown): boolean {
  if (typeof value === "string") return maskedText(repairText(value)) === value;
  if (Array.isArray(value)) return value.every(isClean);
  if (!isObject(value)) return true;
  if (isNamedSecret(value)) return false;
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (!isHarmless(item) && isSecretName(key)) return false;
    if (repairText(key) !== key || !isClean(item)) return false;
  }
  return true;
}

/**
 * Extra members of an agent's message in storable form: secrets masked, text repaired. The door has limited the size,
 * so nothing is cut. Returns a value that needs neither as is.
 */
export function storableDetails<T extends object | null | undefined>(details: T): T {
  if (!details || isClean(details)) return details;
  return clean(details, { nodes: Number.NEGATIVE_INFINITY, ancestors: new Set() }, 1) as T;
}

function plainText(details: object): string | null {
  try {
    const text = JSON.stringify(details);
    if (MAY_NEED_REPAIR.test(text)) return null;
    return MAY_HOLD_SECRET.test(text) && !isClean(JSON.parse(text)) ? null : text;
  } catch {
    return null;
  }
}

/**
 * Details as JSON text: secrets masked, NUL and lone surrogates repaired, prototype keys dropped, cycles and depths
 * over 32 cut. Most details need none of this, which a test of the text shows.
 */
export function detailsText(details: Record<string, unknown>): string {
  const text = plainText(details) ?? JSON.stringify(clean(details, { nodes: 0, ancestors: new Set() }, 1)) ?? "{}";
  return writeExact(text);
}

/** Cuts details to the limit: keeps members in order while they fit and lists the others with their sizes. */
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
