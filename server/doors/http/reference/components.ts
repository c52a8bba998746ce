import { z } from "zod";
import { groupBy, isObject, mapValues } from "@/server/ground/records";
import type { Json } from "./describe";
import { NAMES } from "./names";

/** JSON Schema of a zod schema for requests or answers, without zod's safe integer bounds. */
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

/** Members about a schema's use, not its shape. */
const BESIDE = ["description", "default", "example"];

const split = (schema: Json): { beside: Json; shape: Json } => ({
  beside: Object.fromEntries(Object.entries(schema).filter(([key]) => BESIDE.includes(key))),
  shape: Object.fromEntries(Object.entries(schema).filter(([key]) => !BESIDE.includes(key))),
});

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

/** Shape of a schema: equal for schemas that accept the same values. */
function shapeOf(schema: Json): string {
  const bare = (inner: Json): Json => {
    const sorted = Object.entries(split(inner).shape).sort(([a], [b]) => (a < b ? -1 : 1));
    return inside(Object.fromEntries(sorted), bare);
  };
  return JSON.stringify(bare(schema));
}

/** Named schemas of a document, filled by `refer`. */
export class Components {
  readonly schemas: Record<string, Json> = {};
  /** Request and answer shapes may differ. */
  readonly #names = new Map(
    Object.entries<z.ZodType>(NAMES).flatMap(([name, schema]) =>
      (["input", "output"] as const).map((io) => [shapeOf(toSchema(schema, io)), name] as const),
    ),
  );

  /** Replaces named schemas by references in a described schema; examples stay in the media type only. */
  refer = (schema: Json): Json => {
    const { beside, shape } = split(schema);
    const { example: _, ...said } = beside;
    const name = this.#names.get(shapeOf(schema));
    if (name === undefined) return { ...said, ...inside(shape, this.refer) };
    this.schemas[name] ??= inside(shape, this.refer);
    return { ...said, $ref: `#/components/schemas/${name}` };
  };

  /** Replaces named schemas in a part of the document. */
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
 * Moves values shared by several operations to named components: `nameOf` (null: leaves it in place), prefixed with the
 * operations' tag on a conflict.
 * @returns the components, and the replacement of a value
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
