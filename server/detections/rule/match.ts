import { RE2JS } from "re2js";
import { isInNetwork, networkOf } from "@/server/audit/query/values";
import type { FullEntry } from "@/server/audit/schema";
import { FIRST_SEEN } from "@/server/audit/vocabulary";
import { mapValues } from "@/server/ground/records";
import { fault } from "./fault";
import { FIELD_NAMES, getterOf, isCode, textOf } from "./fields";

export type Matcher = (entry: FullEntry) => boolean;
/** The only field values that can match; null: any. */
type Only = ReadonlySet<string> | null;
/** A matcher with its possible values, for the SQL prefilter. */
export type Narrowed = { matches: Matcher; actions: Only; firstSeen: Only };

/** Does not narrow. */
export const ANY = { actions: null, firstSeen: null } as const;

type Test = (value: unknown) => boolean;
type Compare = (value: unknown, isCased: boolean) => Test;

const META = /[.+^${}()|[\]\\]/g;

/** A Sigma pattern: * and ? are wildcards unless escaped by a backslash. */
const hasWildcard = (text: string): boolean => /(?:^|[^\\])(?:\\\\)*[*?]/.test(text);
const unescaped = (text: string): string => text.replace(/\\([*?\\])/g, "$1");

/** Runs in linear time, like every pattern of a rule. */
function wildcards(text: string, isCased: boolean): RE2JS {
  const source = text.replace(/\\([*?\\])|[*?]|[.+^${}()|[\]\\]/g, (part, escaped: string | undefined) => {
    if (escaped) return escaped.replace(/[*?]|[.+^${}()|[\]\\]/g, "\\$&");
    return part === "*" ? ".*" : part === "?" ? "." : part.replace(META, "\\$&");
  });
  return RE2JS.compile(source, RE2JS.DOTALL | (isCased ? 0 : RE2JS.CASE_INSENSITIVE));
}

const folded = (text: string, isCased: boolean): string => (isCased ? text : text.toLowerCase());

const equals: Compare = (wanted, isCased) => {
  if (typeof wanted !== "string") return (value) => textOf(value) === textOf(wanted);
  if (hasWildcard(wanted)) {
    const pattern = wildcards(wanted, isCased);
    return (value) => pattern.matches(textOf(value));
  }
  const text = folded(unescaped(wanted), isCased);
  return (value) => folded(textOf(value), isCased) === text;
};

const closed = (text: string): string => (/(?:^|[^\\])(?:\\\\)*\\$/.test(text) ? `${text}\\` : text);

/** A text anywhere, at the start or at the end; wildcards make it a pattern. */
const around =
  (before: string, after: string, holds: (text: string, part: string) => boolean): Compare =>
  (wanted, isCased) => {
    const part = textOf(wanted);
    if (hasWildcard(part)) return equals(`${before}${closed(part)}${after}`, isCased);
    const text = folded(unescaped(part), isCased);
    return (value) => holds(folded(textOf(value), isCased), text);
  };

const isNumber = (value: unknown): boolean =>
  typeof value !== "object" && value !== "" && Number.isFinite(Number(value));

const number =
  (holds: (value: number, bound: number) => boolean): Compare =>
  (wanted) => {
    if (!isNumber(wanted)) throw fault("must be compared with a number");
    return (value) => isNumber(value) && holds(Number(value), Number(wanted));
  };

const NUMERIC: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  gt: (a, b) => a > b,
  gte: (a, b) => a >= b,
  lt: (a, b) => a < b,
  lte: (a, b) => a <= b,
};

const network: Compare = (wanted) => {
  const found = networkOf(textOf(wanted));
  if (!found) throw fault(`${textOf(wanted)} is not a network such as 10.0.0.0/8`);
  return (value) => isInNetwork(textOf(value), found);
};

const expression =
  (flags: number): Compare =>
  (wanted) => {
    try {
      const pattern = RE2JS.compile(textOf(wanted), flags);
      return (value) => pattern.matcher(textOf(value)).find();
    } catch (error) {
      throw fault(`is no regular expression of RE2: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

const COMPARISONS: Readonly<Record<string, Compare>> = {
  contains: around("*", "*", (text, part) => text.includes(part)),
  startswith: around("", "*", (text, part) => text.startsWith(part)),
  endswith: around("*", "", (text, part) => text.endsWith(part)),
  cidr: network,
  ...mapValues(NUMERIC, number),
  re: expression(0),
};
const KNOWN = [...Object.keys(COMPARISONS), "exists", "fieldref", "all", "cased", "i"];

/** Values of a field in entries. @throws AppError validation_failed for an unknown field */
export const getter = (field: string) => {
  const get = getterOf(field);
  if (!get) throw fault(`${field} is not a field: there are ${FIELD_NAMES.join(", ")}`);
  return get;
};

type Key = { field: string; modifiers: ReadonlySet<string>; compare: Compare; isCased: boolean };

function readKey(key: string): Key {
  const [field = "", ...modifiers] = key.split("|");
  getter(field);
  for (const one of modifiers)
    if (!KNOWN.includes(one)) throw fault(`${one} is not a modifier: there are ${KNOWN.join(", ")}`);
  const names = modifiers.filter((one) => Object.hasOwn(COMPARISONS, one));
  if (names.length > 1) throw fault(`${names.join(" and ")} cannot be combined`);
  const set = new Set(modifiers);
  if (set.has("i") && !set.has("re")) throw fault("i belongs to re");
  const [name] = names;
  const compare = set.has("i") ? expression(RE2JS.CASE_INSENSITIVE) : name ? COMPARISONS[name] : undefined;
  return { field, modifiers: set, compare: compare ?? equals, isCased: set.has("cased") || isCode(field) };
}

/** Exact codes that narrow in SQL. */
function onlyOf(name: "action" | "firstSeen", { field, modifiers }: Key, values: readonly unknown[]): Only {
  const isExact = field === name && [...modifiers].every((one) => one === "cased");
  const texts = values.map(textOf);
  const isPlain = isExact && values.length > 0 && !values.includes(null) && !texts.some(hasWildcard);
  return isPlain ? new Set(texts.map(unescaped)) : null;
}

/** @throws AppError validation_failed for an unknown kind of first sighting: the rule would never match */
function requireKind({ field, modifiers }: Key, values: readonly unknown[]): void {
  if (field !== "firstSeen" || modifiers.has("exists")) return;
  const wrong = values.find((value) => !FIRST_SEEN.some((kind) => kind === value));
  if (modifiers.size > 0 || wrong !== undefined) throw fault(`firstSeen takes ${FIRST_SEEN.join(", ")}`);
}

function special({ field, modifiers }: Key, values: readonly unknown[]): Matcher | null {
  const get = getter(field);
  if (modifiers.has("exists")) {
    const [wanted] = values;
    if (values.length !== 1 || typeof wanted !== "boolean") throw fault("exists takes true or false");
    return (entry) => get(entry).length > 0 === wanted;
  }
  if (!modifiers.has("fieldref")) return null;
  const others = values.map((name) => getter(textOf(name)));
  const [name, ...more] = [...modifiers].filter((one) => one !== "fieldref");
  const holds = name === undefined ? undefined : NUMERIC[name];
  if (more.length > 0 || (name !== undefined && !holds))
    throw fault("fieldref is combined with gt, gte, lt or lte alone");
  const isSame = (own: unknown, other: unknown): boolean =>
    holds ? isNumber(own) && isNumber(other) && holds(Number(own), Number(other)) : textOf(own) === textOf(other);
  return (entry) => get(entry).some((own) => others.some((other) => other(entry).some((value) => isSame(own, value))));
}

/**
 * Parses a line of a selection: a field with modifiers, and values, one of which must match, or all with the modifier
 * `all`; null means a missing field.
 * @throws AppError validation_failed
 */
export function matcherOf(name: string, given: unknown): Narrowed {
  const key = readKey(name);
  const values: unknown[] = Array.isArray(given) ? given : [given];
  if (values.length === 0) throw fault(`${name} has no value`);
  requireKind(key, values);
  const own = special(key, values);
  if (own) return { ...ANY, matches: own };
  const get = getter(key.field);
  const tests = values.map((value): Matcher => {
    if (value === null) return (entry) => get(entry).length === 0;
    if (typeof value === "object") throw fault(`${name} takes texts, numbers and true or false`);
    const test = key.compare(value, key.isCased);
    return (entry) => get(entry).some(test);
  });
  const matches: Matcher = key.modifiers.has("all")
    ? (entry) => tests.every((test) => test(entry))
    : (entry) => tests.some((test) => test(entry));
  return { matches, actions: onlyOf("action", key, values), firstSeen: onlyOf("firstSeen", key, values) };
}
