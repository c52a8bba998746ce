import { isObject } from "@/server/ground/records";
import { WORD_TABLES } from "./words/index";
import type { Word } from "./words/table";

export type Json = Record<string, unknown>;
/** Path of an operation in the document, and request or response. */
export type Side = { path: string; side: "request" | "response" };

/** Schemas that a value may follow instead of, or beside, the schema itself. */
export const branchesOf = (schema: Json): Json[] =>
  ["anyOf", "oneOf", "allOf"].flatMap((key) => (Array.isArray(schema[key]) ? schema[key].filter(isObject) : []));

export const propertiesOf = (schema: Json): [string, Json][] =>
  isObject(schema.properties)
    ? Object.entries(schema.properties).filter((entry): entry is [string, Json] => isObject(entry[1]))
    : [];

const covers = (prefix: string, path: string): boolean =>
  prefix === "" || path === prefix || path.startsWith(`${prefix}/`);

/** Suffixes of a path, longest first: "a.b.c", "b.c", "c". */
const endsOf = (way: readonly string[]): string[] => way.map((_, i) => way.slice(i).join("."));

const BY_LENGTH = WORD_TABLES.flatMap((table) => [table.path].flat().map((prefix) => ({ prefix, table }))).sort(
  (a, b) => b.prefix.length - a.prefix.length,
);

/**
 * Description of a member: from the table with the longest path, there by the longest suffix.
 * @param way names of the enclosing members and its own; for a parameter "@query" or "@header" before its name
 */
export function findWord({ path, side }: Side, way: readonly string[]): { place: string; word: Word } | undefined {
  for (const { prefix, table } of BY_LENGTH) {
    if (!covers(prefix, path)) continue;
    for (const end of endsOf(way)) {
      const word = table[side]?.[end];
      if (word !== undefined) return { place: `${table.path} ${side} ${end}`, word };
    }
  }
  return undefined;
}

const saidBy = (word: Word | undefined): { description?: string; example?: unknown } => {
  if (word === undefined) return {};
  return typeof word === "string" ? { description: word } : { description: word[0], example: word[1] };
};

/** A member's schema with description and example, preferring its own, and all members inside it. */
export function describeMember(schema: Json, at: Side, way: readonly string[]): Json {
  return { ...saidBy(findWord(at, way)?.word), ...describeInside(schema, at, way) };
}

/** A schema with descriptions at any depth. */
export function describeInside(schema: Json, at: Side, way: readonly string[] = []): Json {
  const found: Json = { ...schema };
  for (const key of ["anyOf", "oneOf", "allOf"])
    if (Array.isArray(schema[key])) found[key] = schema[key].map((s) => (isObject(s) ? describeInside(s, at, way) : s));
  for (const key of ["items", "additionalProperties"])
    if (isObject(schema[key])) found[key] = describeInside(schema[key], at, way);
  if (isObject(schema.properties))
    found.properties = Object.fromEntries(
      propertiesOf(schema).map(([name, member]) => [name, describeMember(member, at, [...way, name])]),
    );
  return found;
}
