import { isObject } from "@/server/ground/records";

/** A part of the API document with references resolved. */
export function inlined(value: unknown, document: object): unknown {
  if (Array.isArray(value)) return value.map((one) => inlined(one, document));
  if (!isObject(value)) return value;
  const { $ref, ...rest } = value;
  const named =
    typeof $ref === "string"
      ? $ref
          .slice(2)
          .split("/")
          .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), document)
      : {};
  const whole = isObject(named) ? { ...named, ...rest } : rest;
  return Object.fromEntries(
    Object.entries(whole).map(([key, inner]) => [key, key === "examples" ? inner : inlined(inner, document)]),
  );
}

/** True if an operation documents a status, directly or in a range. */
export const isDocumented = (responses: object, status: number): boolean =>
  [String(status), `${Math.floor(status / 100)}XX`].some((key) => key in responses);
