import { resolve, type Schema } from "./openapi";

/** A parameter or member: meaning describes its purpose, rule its constraints. */
export type Row = { name: string; type: string; rule: string; meaning: string; isRequired: boolean };

const FORMAT: Record<string, string> = {
  uuid: "UUID",
  "date-time": "ISO 8601 time",
  email: "e-mail address",
  uri: "URL",
};
const MAX_SAFE = Number.MAX_SAFE_INTEGER;
const MAX_DEPTH = 4;

const branches = (schema: Schema): Schema[] => schema.anyOf ?? schema.oneOf ?? [];

/** A type in words: "UUID or null", "list of strings". */
export function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split("/").pop() ?? "object";
  if (branches(schema).length > 0) return [...new Set(branches(schema).map(typeOf))].join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((v) => String(v)).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" or ");
  if (schema.type === "array") return schema.items ? `list of ${typeOf(schema.items)}` : "list";
  if (schema.format && FORMAT[schema.format]) return FORMAT[schema.format] ?? "";
  return schema.type ?? "any JSON";
}

function bounds(least: number | undefined, most: number | undefined, unit: string): string {
  const low = least !== undefined && least > -MAX_SAFE ? least : undefined;
  const high = most !== undefined && most < MAX_SAFE ? most : undefined;
  const tail = unit ? ` ${unit}` : "";
  if (low !== undefined && high !== undefined) return low === high ? `${low}${tail}` : `${low} to ${high}${tail}`;
  if (low !== undefined) return `at least ${low}${tail}`;
  return high !== undefined ? `at most ${high}${tail}` : "";
}

/** A value's constraints: lengths, limits, pattern, default. */
export function ruleOf(schema: Schema): string {
  const parts = [
    bounds(schema.minimum, schema.maximum, ""),
    bounds(schema.minLength, schema.maxLength, "characters"),
    bounds(schema.minItems, schema.maxItems, "items"),
    schema.pattern && !schema.format ? `matches ${schema.pattern}` : "",
    schema.default !== undefined ? `default ${JSON.stringify(schema.default)}` : "",
    ...branches(schema).map(ruleOf),
  ];
  return [...new Set(parts.filter(Boolean))].join("; ");
}

/** The object schema inside a value: itself, a list's items, or the non-null branch. */
function objectIn(schema: Schema, schemas: Record<string, Schema>): { schema: Schema; isList: boolean } | null {
  const found = resolve(schema, schemas);
  if (found.properties) return { schema: found, isList: false };
  if (found.items) {
    const inner = objectIn(found.items, schemas);
    return inner && { schema: inner.schema, isList: true };
  }
  for (const branch of branches(found)) {
    const inner = objectIn(branch, schemas);
    if (inner) return inner;
  }
  return null;
}

const TOP = { prefix: "", depth: 0 };

/** An object's members; nested ones are prefixed with "parent.", list items with "[]". */
export function rowsOf(schema: Schema, schemas: Record<string, Schema>, { prefix, depth } = TOP): Row[] {
  const found = objectIn(schema, schemas);
  if (!found || depth > MAX_DEPTH) return [];
  const at = found.isList && depth === 0 ? "[]." : prefix;
  return Object.entries(found.schema.properties ?? {}).flatMap(([name, member]) => {
    const inner = objectIn(member, schemas);
    const row: Row = {
      name: `${at}${name}`,
      type: typeOf(member),
      rule: ruleOf(resolve(member, schemas)),
      meaning: member.description ?? "",
      isRequired: found.schema.required?.includes(name) ?? false,
    };
    if (!inner) return [row];
    const below = { prefix: `${at}${name}${inner.isList ? "[]" : ""}.`, depth: depth + 1 };
    return [row, ...rowsOf(member, schemas, below)];
  });
}
