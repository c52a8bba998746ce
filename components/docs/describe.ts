import { resolve, type Schema } from "./openapi";

export type Row = { name: string; type: string; rule: string; isRequired: boolean };

const FORMAT: Record<string, string> = {
  uuid: "UUID",
  "date-time": "ISO 8601 time",
  email: "e-mail address",
  uri: "URL",
};
const MAX_SAFE = Number.MAX_SAFE_INTEGER;
const MAX_DEPTH = 4;

const branches = (schema: Schema): Schema[] => schema.anyOf ?? schema.oneOf ?? [];

/** What a value is, in words: "UUID or null", "list of strings". */
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

/** What a value must keep: lengths, limits, pattern, default. */
export function ruleOf(schema: Schema): string {
  const parts = [
    bounds(schema.minimum, schema.maximum, ""),
    bounds(schema.minLength, schema.maxLength, "characters"),
    bounds(schema.minItems, schema.maxItems, "items"),
    schema.pattern && !schema.format ? `matches ${schema.pattern}` : "",
    schema.default !== undefined ? `${JSON.stringify(schema.default)} unless given` : "",
    schema.description ?? "",
    ...branches(schema).map(ruleOf),
  ];
  return [...new Set(parts.filter(Boolean))].join("; ");
}

/** The object inside a value: itself, what a list holds, or the branch that is no null. */
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

/** An object's members, those of inner objects behind a dot, of lists behind "[]". */
export function rowsOf(schema: Schema, schemas: Record<string, Schema>, prefix = "", depth = 0): Row[] {
  const found = objectIn(schema, schemas);
  if (!found || depth > MAX_DEPTH) return [];
  const at = found.isList && depth === 0 ? "[]." : prefix;
  return Object.entries(found.schema.properties ?? {}).flatMap(([name, member]) => {
    const inner = objectIn(member, schemas);
    const row: Row = {
      name: `${at}${name}`,
      type: typeOf(member),
      rule: ruleOf(resolve(member, schemas)),
      isRequired: found.schema.required?.includes(name) ?? false,
    };
    const below = inner ? rowsOf(member, schemas, `${at}${name}${inner.isList ? "[]" : ""}.`, depth + 1) : [];
    return [row, ...below];
  });
}

const NAMED: Record<string, unknown> = {
  email: "jane.doe@example.com",
  password: "correct horse battery",
  timestamp: "2026-11-20T14:02:31Z",
  hostname: "WS-042",
  os: "windows",
  name: "Example",
  actorId: "jane.doe",
  action: "device.create",
  resourceType: "device",
  refreshToken: "…",
  enrollmentKey: "tme_…",
  level: "info",
  component: "main",
  message: "started",
  source: "Service Control Manager",
};

/** A value that the schema takes, for the samples: the required members, or all where none is required. */
export function exampleOf(schema: Schema, schemas: Record<string, Schema>, name = "", depth = 0): unknown {
  const found = resolve(schema, schemas);
  const [first] = branches(found).filter((branch) => branch.type !== "null");
  if (first) return exampleOf(first, schemas, name, depth);
  if (found.const !== undefined) return found.const;
  if (found.default !== undefined) return found.default;
  if (found.enum) return found.enum[0];
  const type = Array.isArray(found.type) ? found.type[0] : found.type;
  if (type === "array")
    return found.items && depth <= MAX_DEPTH ? [exampleOf(found.items, schemas, name, depth + 1)] : [];
  if (type === "object" || found.properties) {
    const members = Object.entries(found.properties ?? {});
    const wanted = members.filter(([key]) => found.required?.includes(key));
    const shown = wanted.length > 0 ? wanted : members;
    return Object.fromEntries(shown.map(([key, member]) => [key, exampleOf(member, schemas, key, depth + 1)]));
  }
  if (type === "integer" || type === "number") return Math.max(1, found.minimum ?? 1);
  if (type === "boolean") return true;
  if (found.format === "uuid") return "0d9f7c5e-2f4b-4c8e-9a55-6b1f0c3d2e71";
  if (found.format === "date-time") return "2026-11-20T14:02:31Z";
  return NAMED[name] ?? "text";
}
