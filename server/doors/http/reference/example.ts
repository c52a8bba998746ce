import { isObject } from "@/server/ground/records";
import { branchesOf, type Json, propertiesOf } from "./describe";

type Kind = "request" | "response";
const NONE = Symbol("no example");

/** Example named by the schema itself, if its values allow it. */
function ownExample(schema: Json): unknown {
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum.includes(schema.example) ? schema.example : schema.enum[0];
  return "example" in schema ? schema.example : NONE;
}

function memberExamples(schema: Json, kind: Kind): Json {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const shown = propertiesOf(schema).filter(
    ([name, member]) => required.includes(name) || (kind === "request" && "example" in member),
  );
  return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(member, kind)]));
}

/**
 * Example value of a described schema, composed of its members' examples. Requests show required members and those with
 * an example; answers show all members that are always present.
 */
export function exampleOf(schema: Json, kind: Kind): unknown {
  const own = ownExample(schema);
  if (own !== NONE) return own;
  if (schema.default !== undefined) return schema.default;
  const branch = branchesOf(schema).find((b) => b.type !== "null");
  if (branch) return exampleOf(branch, kind);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "array") return isObject(schema.items) ? [exampleOf(schema.items, kind)] : [];
  if (type === "object" || schema.properties) return memberExamples(schema, kind);
  if (type === "integer" || type === "number") return Math.max(1, Number(schema.minimum ?? 1));
  if (type === "boolean") return true;
  if (schema.format === "uuid") return "0d9f7c5e-2f4b-4c8e-9a55-6b1f0c3d2e71";
  if (schema.format === "date-time") return "2025-11-20T14:02:31.000Z";
  return "text";
}

/** Example of a media type; none for binary ones. */
export const shown = (value: unknown): Json => (value === undefined ? {} : { examples: { example: { value } } });
