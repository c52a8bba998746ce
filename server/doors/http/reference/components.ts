import { z } from "zod";
import { groupBy, isObject, mapValues } from "@/server/ground/records";
import type { Json } from "./describe";
import { NAMES } from "./names";

/** The JSON Schema of a zod schema, as requests or answers have it, without zod's bounds of a safe integer. */
export function toSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    target: "draft-2020-12",
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return rest;
}

/** Members that describe a schema in its place, rather than its shape. */
const BESIDE = ["description", "default", "example"];

const split = (schema: Json): { beside: Json; shape: Json } => ({
  beside: Object.fromEntries(Object.entries(schema).filter(([key]) => BESIDE.includes(key))),
  shape: Object.fromEntries(Object.entries(schema).filter(([key]) => !BESIDE.includes(key))),
});

/** The schemas inside a schema, each exchanged. */
function inside(schema: Json, exchange: (inner: Json) => Json): Json {
  const one = (value: unknown): unknown => (isObject(value) ? exchange(value) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === "properties" && isObject(value)) return [key, mapValues(value, one)];
      if (["anyOf", "oneOf", "allOf"].includes(key) && Array.isArray(value)) return [key, value.map(one)];
      return [key, ["items", "additionalProperties"].includes(key) ? one(value) : value];
    }),
  );
}

/** The shape of a schema: two that say the same of a value have the same. */
function shapeOf(schema: Json): string {
  const bare = (inner: Json): Json => {
    const sorted = Object.entries(split(inner).shape).sort(([a], [b]) => (a < b ? -1 : 1));
    return inside(Object.fromEntries(sorted), bare);
  };
  return JSON.stringify(bare(schema));
}

/** The named schemas of a document, filled by `refer`. */
export class Components {
  readonly schemas: Record<string, Json> = {};
  /** A request's shape and an answer's may differ. */
  readonly #names = new Map(
    Object.entries<z.ZodType>(NAMES).flatMap(([name, schema]) =>
      (["input", "output"] as const).map((io) => [shapeOf(toSchema(schema, io)), name] as const),
    ),
  );

  /** A described schema with references to those that have names; what examples show stands in the media type's alone. */
  refer = (schema: Json): Json => {
    const { beside, shape } = split(schema);
    const { example: _, ...said } = beside;
    const name = this.#names.get(shapeOf(schema));
    if (name === undefined) return { ...said, ...inside(shape, this.refer) };
    this.schemas[name] ??= inside(shape, this.refer);
    return { ...said, $ref: `#/components/schemas/${name}` };
  };

  /** The same for all schemas of a part of the document. */
  referIn = <T>(part: T): T => {
    const within = (value: unknown, key?: string): unknown => {
      if (key === "example" || key === "examples") return value;
      if (Array.isArray(value)) return value.map((one) => within(one));
      if (!isObject(value)) return value;
      return key === "schema" ? this.refer(value) : mapValues(value, within);
    };
    return within(part) as T;
  };
}

const pascal = (text: string): string =>
  text
    .split(/[^a-zA-Z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

type Sharing = { kind: "parameters" | "responses"; nameOf: (value: Json) => string | null };
type Use = { tag: string; value: Json };

/**
 * What several operations have alike, once below a name: `nameOf` (null: it stays where it is), with the tag of the operations
 * before it where others are called so too.
 * @returns the components, and what stands in the place of a value
 */
export function share(uses: readonly Use[], { kind, nameOf }: Sharing) {
  const whole = uses.filter(({ value }) => !("$ref" in value) && nameOf(value) !== null);
  const alike = [...groupBy(whole, ({ value }) => JSON.stringify(value))].filter(([, group]) => group.length > 1);
  const names = new Map<string, string>();
  const components: Record<string, Json> = {};
  for (const [text, [first, ...others]] of alike) {
    const plain = pascal(nameOf(first.value) ?? "");
    const wanted = [plain, pascal(first.tag) + plain, `${pascal(first.tag)}${plain}${others.length}`];
    const name = wanted.find((one) => !(one in components)) ?? `${plain}${names.size}`;
    components[name] = first.value;
    names.set(text, name);
  }
  const refer = (value: Json): Json => {
    const name = names.get(JSON.stringify(value));
    return name === undefined ? value : { $ref: `#/components/${kind}/${name}` };
  };
  return { components, refer };
}
