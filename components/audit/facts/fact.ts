import { bytes, count, duration } from "@/components/format/amounts";
import { isObject } from "@/server/ground/records";
import { capitalized, GUID } from "@/server/ground/text";

/** The interpreted type of a detail, which decides how it is displayed. */
export type Fact =
  | { kind: "text" | "code"; text: string }
  | { kind: "time"; at: string }
  | { kind: "id"; id: string; of: IdOf }
  | { kind: "address"; address: string }
  | { kind: "group"; facts: NamedFact[] };
export type IdOf = "device" | "organization" | "actor" | "session" | "entry";
/** path: position in the details, such as "session.device.id"; value: as recorded. */
export type NamedFact = { path: string; label: string; fact: Fact; value: unknown };

const MAX_DEPTH = 4;
const MAX_LISTED = 50;
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|(?=.*:.*:)[0-9a-f:.]{2,45})$/i;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/**
 * Units recognized by the suffix of a member's name (but not the "Ms" of runningVMs), in seconds, with their symbol.
 */
const SPANS: [ending: RegExp, seconds: number, sign: string][] = [
  [/(?:(?<=[a-z\d])Ms|Millis|Milliseconds|_ms)$/, 0.001, "ms"],
  [/(?:Seconds|Secs|Sec|_seconds)$/, 1, "s"],
  [/(?:Minutes|_minutes)$/, 60, "min"],
  [/(?:Hours|_hours)$/, 3600, "h"],
];
/** Only names with an explicit unit: "size" alone may count anything. */
const SIZE = /(?:Bytes|_bytes|^bytes)$/;
const IDS: Record<string, IdOf> = {
  deviceId: "device",
  orgId: "organization",
  organizationId: "organization",
  userId: "actor",
  actorId: "actor",
  apiKeyId: "actor",
  sessionId: "session",
  entryId: "entry",
  auditLogId: "entry",
};
const SHORT = new Map([
  ["id", "ID"],
  ["ip", "IP"],
  ["url", "URL"],
  ["os", "OS"],
  ["cpu", "CPU"],
  ["api", "API"],
  ["usb", "USB"],
]);

/** Acronyms, such as "VMs" in runningVMs. */
const ACRONYM = /^[A-Z]{2,}s?$/;

/** A member's name as a label, without its unit: "Duration" for durationMs, "Row count" for row_count. */
export function labelOfMember(name: string): string {
  const bare = [...SPANS.map(([unit]) => unit), /(?<=.)(?:Bytes|_bytes)$/].reduce((left, unit) => {
    const cut = left.replace(unit, "");
    return cut || left;
  }, name);
  const hasCase = name !== name.toUpperCase();
  const words = bare
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[\s_.-]+/)
    .filter(Boolean)
    .map((word) => SHORT.get(word.toLowerCase()) ?? (hasCase && ACRONYM.test(word) ? word : word.toLowerCase()));
  return capitalized(words.join(" "));
}

/** "350 ms"; from one second on a rounded duration, followed by the recorded number. */
function span(value: number, [, seconds, sign]: (typeof SPANS)[number]): string {
  const exact = `${count(value)} ${sign}`;
  const text = value * seconds < 1 ? exact : duration(value * seconds);
  return text === exact ? text : `${text} (${exact})`;
}

function numberFact(name: string, value: number): Fact {
  // Stored exactly, but a JavaScript number has only about 16 digits.
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return { kind: "text", text: `about ${count(value)}; exports contain every digit` };
  const unit = SPANS.find(([ending]) => ending.test(name));
  if (unit && value >= 0) return { kind: "text", text: span(value, unit) };
  if (SIZE.test(name) && value >= 0)
    return { kind: "text", text: value < 1000 ? bytes(value) : `${bytes(value)} (${count(value)} bytes)` };
  if (/Days$/.test(name)) return { kind: "text", text: value === 1 ? "1 day" : `${count(value)} days` };
  // Four-digit numbers are usually years, ports or codes, so only larger ones get a thousands separator.
  return { kind: "text", text: Number.isInteger(value) && value >= 10_000 ? count(value) : String(value) };
}

function textFact(name: string, text: string): Fact {
  const of = IDS[name];
  if (of && (of === "session" || GUID.test(text))) return { kind: "id", id: text, of };
  if (ISO.test(text) && Number.isFinite(Date.parse(text))) return { kind: "time", at: new Date(text).toISOString() };
  if (ADDRESS.test(text)) return { kind: "address", address: text };
  if (GUID.test(text) || /^[0-9a-f]{32,}$/i.test(text)) return { kind: "code", text };
  return { kind: "text", text: text || "(empty)" };
}

const isPlain = (value: unknown): boolean => !isObject(value) && !Array.isArray(value);

/** A value's position in the details; depth is the number of enclosing members. */
type Position = { path: string; depth: number };
const below = ({ path, depth }: Position, step: string): Position => ({ path: `${path}${step}`, depth: depth + 1 });

/** Interprets a value by its type and its member's name. */
export function factOf(name: string, value: unknown, at: Position = { path: name, depth: 0 }): Fact {
  if (value === null || value === undefined) return { kind: "text", text: "None" };
  if (typeof value === "boolean") return { kind: "text", text: value ? "Yes" : "No" };
  if (typeof value === "number") return numberFact(name, value);
  if (typeof value === "string") return textFact(name, value);
  if (at.depth >= MAX_DEPTH) return { kind: "code", text: JSON.stringify(value) };
  if (Array.isArray(value)) {
    if (value.length === 0) return { kind: "text", text: "None" };
    const shown = value.slice(0, MAX_LISTED);
    const rest = value.slice(MAX_LISTED);
    const more = `and ${count(rest.length)} more`;
    if (value.every(isPlain)) {
      const text = shown.map((one) => plainText(name, one)).join(", ");
      return { kind: "text", text: rest.length > 0 ? `${text} ${more}` : text };
    }
    const facts = shown.map((one, index) => namedFact(String(index + 1), one, below(at, `[${index}]`)));
    const fact: Fact = { kind: "text", text: `${more}, in the raw entry` };
    if (rest.length > 0) facts.push({ path: `${at.path}[more]`, label: "More", fact, value: rest });
    return { kind: "group", facts };
  }
  const facts = Object.entries(value).map(([member, one]) => namedFact(member, one, below(at, `.${member}`)));
  return facts.length > 0 ? { kind: "group", facts } : { kind: "text", text: "None" };
}

function plainText(name: string, value: unknown): string {
  const fact = factOf(name, value);
  if (fact.kind === "time") return fact.at;
  if (fact.kind === "id") return fact.id;
  if (fact.kind === "address") return fact.address;
  return fact.kind === "group" ? "" : fact.text;
}

const namedFact = (member: string, value: unknown, at: Position): NamedFact => ({
  path: at.path,
  label: /^\d+$/.test(member) ? member : labelOfMember(member),
  fact: factOf(member, value, at),
  value,
});

/**
 * Details as labeled facts, in the order in which they were recorded.
 * @param shown members to omit because they are shown elsewhere
 */
export const factsOf = (details: Record<string, unknown>, shown: readonly string[]): NamedFact[] =>
  Object.entries(details)
    .filter(([member]) => !shown.includes(member))
    .map(([member, value]) => namedFact(member, value, { path: member, depth: 0 }));
