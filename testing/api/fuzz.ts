import fc from "fast-check";
import { BAD_BODIES, BAD_QUERIES, BAD_TEXTS, BAD_VALUES, withOwn } from "./fuzz-values";
import { inlined, isDocumented } from "./references";

/** Requests generated from the OpenAPI document: mostly valid, with one or two members corrupted. */

type Json = Record<string, unknown>;
/** Subset of JSON Schema used in our document. */
type Schema = {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  minItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
};
type Parameter = { name: string; in: string; required: boolean; schema: Schema };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, { schema: Schema }> };
  responses: Json;
  security: Json[];
};
export type ApiDocument = { paths: Record<string, Record<string, Operation>> };
export type Described = { method: string; path: string; operation: Operation };
export type FuzzRequest = {
  params: Record<string, string>;
  query: string;
  body: Uint8Array | null;
  headers: Record<string, string>;
};
/** Existing ids, so that a request passes the first look-up. */
export type Hints = { params: (path: string, name: string) => string[]; ids: string[] };

const INSTANTS = [
  "2026-01-01T00:00:00Z",
  "2026-11-20T10:00:00.123Z",
  "1970-01-01T00:00:00Z",
  "2026-06-01T00:00:00+02:00",
];
const badText = fc.constantFrom(...Object.values(BAD_TEXTS));
const badValue = fc.oneof(badText, fc.constantFrom(...Object.values(BAD_VALUES)), fc.jsonValue({ maxDepth: 2 }));

export function describedOperations(document: ApiDocument): Described[] {
  const paths = inlined(document.paths, document) as ApiDocument["paths"];
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function textOf({ format, pattern, minLength = 0, maxLength = 60 }: Schema, hints: Hints): fc.Arbitrary<unknown> {
  if (format === "uuid" || format === "guid")
    return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...hints.ids) }, fc.uuid());
  if (format === "date-time") return fc.constantFrom(...INSTANTS);
  if (format === "email") return fc.uuid().map((id) => `${id}@example.test`);
  if (pattern)
    try {
      return fc.stringMatching(new RegExp(pattern));
    } catch {
      return fc.constantFrom("1", "a");
    }
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)), unit: "grapheme" });
}

function objectOf(schema: Schema, hints: Hints): fc.Arbitrary<Json> {
  const members = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required);
  const known = fc.record(Object.fromEntries(members.map(([key, inner]) => [key, validOf(inner, hints)])), {
    requiredKeys: members.map(([key]) => key).filter((key) => required.has(key)),
  });
  const more = schema.additionalProperties;
  if (!more || typeof more !== "object") return known;
  const extra = fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), validOf(more, hints), { maxKeys: 3 });
  return fc.tuple(known, extra).map(([a, b]) => ({ ...b, ...a }));
}

/** A value valid for the schema, except for refinements. */
function validOf(schema: Schema, hints: Hints): fc.Arbitrary<unknown> {
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return fc.oneof(...options.map((option) => validOf(option, hints)));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const { minimum = 0, maximum = 1000, items = {}, minItems = 0 } = schema;
  switch (schema.type) {
    case "string":
      return textOf(schema, hints);
    case "integer":
      return fc.integer({ min: Math.max(minimum, -1e6), max: Math.min(maximum, 1e6) });
    case "number":
      return fc.double({ noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(validOf(items, hints), { minLength: minItems, maxLength: Math.max(minItems, 3) });
    case "object":
      return objectOf(schema, hints);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

type Change = { kind: "set" | "drop" | "add"; at: number; key: string; value: unknown };
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("set", "set", "set", "drop", "add"),
  at: fc.nat(),
  key: fc.constantFrom("extra", "__proto__", "constructor", "toString", "orgId", "id", "", "a\0b"),
  value: badValue,
});

/** Every nested member, as its holder and key. */
function placesIn(value: unknown, found: [Json, string][] = []): [Json, string][] {
  if (typeof value !== "object" || value === null) return found;
  for (const key of Object.keys(value)) {
    found.push([value as Json, key]);
    placesIn((value as Json)[key], found);
  }
  return found;
}

function spoil(input: Json, changes: Change[]): Json {
  const value = structuredClone(input);
  for (const { kind, at, key, value: given } of changes) {
    const bad = structuredClone(given); // Cloned, because later changes may modify it and bad values are shared.
    const places = placesIn(value);
    const [holder, name] = places[at % Math.max(1, places.length)] ?? [value, key];
    if (kind === "add") withOwn(Array.isArray(holder) ? value : holder, key, bad);
    else if (kind === "drop") delete holder[name];
    else if (places.length > 0) withOwn(holder, name, bad);
  }
  return value;
}

const encoded = (value: unknown): string => {
  const text =
    typeof value === "string"
      ? value
      : Array.isArray(value) && value.every((one) => typeof one === "string")
        ? value.join(",")
        : typeof value === "object"
          ? JSON.stringify(value)
          : String(value);
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, "\ufffd"));
};

const toQuery = (input: Json): string =>
  Object.entries(input)
    .map(([key, value]) => `${encoded(key)}=${encoded(value)}`)
    .join("&");

function queryOf(parameters: Parameter[], hints: Hints): fc.Arbitrary<string> {
  const schema = {
    properties: Object.fromEntries(parameters.map((p) => [p.name, p.schema])),
    required: parameters.filter((p) => p.required).map((p) => p.name),
  };
  const few = fc.tuple(objectOf(schema, hints), fc.integer({ min: 0, max: 3 }), fc.nat());
  const created = few.map(([all, keep, from]) => {
    const entries = Object.entries(all);
    const kept = entries.filter(([key], i) => schema.required.includes(key) || (i + from) % entries.length < keep);
    return Object.fromEntries(kept);
  });
  const spoilt = fc
    .tuple(created, fc.array(change, { maxLength: 2 }))
    .map(([value, changes]) => toQuery(spoil(value, changes)));
  return fc.oneof({ weight: 6, arbitrary: spoilt }, { weight: 1, arbitrary: fc.constantFrom(...BAD_QUERIES) });
}

const JSON_TYPE = { "content-type": "application/json" };
const HEADERS: Record<string, string>[] = [
  JSON_TYPE,
  { "content-type": "text/plain" },
  { "content-type": "application/json; charset=utf-16" },
  { "content-type": "multipart/form-data; boundary=" },
  { ...JSON_TYPE, "content-encoding": "gzip" },
  { ...JSON_TYPE, "content-encoding": "br" },
  { ...JSON_TYPE, "user-agent": "x".repeat(4000) },
  { ...JSON_TYPE, "user-agent": "\u00ff\u0080'--" },
];

type Sent = Pick<FuzzRequest, "body" | "headers">;

function bodyOf(schema: Schema, hints: Hints): fc.Arbitrary<Sent> {
  const spoilt = fc
    .tuple(validOf(schema, hints) as fc.Arbitrary<Json>, fc.array(change, { maxLength: 2 }))
    .map(([value, changes]): Sent => {
      const body = new TextEncoder().encode(JSON.stringify(spoil(value, changes)));
      return { body, headers: JSON_TYPE };
    });
  const raw = fc.record({
    body: fc.constantFrom(...Object.values(BAD_BODIES)),
    headers: fc.oneof({ weight: 3, arbitrary: fc.constant(JSON_TYPE) }, fc.constantFrom(...HEADERS)),
  });
  return fc.oneof({ weight: 6, arbitrary: spoilt }, { weight: 1, arbitrary: raw });
}

export function requestsFor({ path, operation }: Described, hints: Hints): fc.Arbitrary<FuzzRequest> {
  const { parameters = [], requestBody } = operation;
  const inPath = parameters
    .filter((p) => p.in === "path")
    .map((p) => {
      const known = hints.params(path, p.name);
      const right = known.length > 0 ? fc.constantFrom(...known) : validOf(p.schema, hints).map(String);
      return [p.name, fc.oneof({ weight: 8, arbitrary: right }, { weight: 1, arbitrary: badText })] as const;
    });
  const inQuery = parameters.filter((p) => p.in === "query");
  const schema = requestBody?.content?.["application/json"]?.schema;
  const none: Sent = { body: null, headers: {} };
  const sent = schema ? bodyOf(schema, hints) : fc.constant(none);
  return fc
    .tuple(fc.record(Object.fromEntries(inPath)), queryOf(inQuery, hints), sent)
    .map(([params, query, rest]) => ({ params, query, ...rest }));
}

/** Texts that only our internals produce; none is among the bad values, because clients' texts may be echoed. */
const INTERNAL =
  /postgres|drizzle|node_modules|\n\s+at |\.(ts|mjs|js):\d+|SELECT .+ FROM|INSERT INTO|violates|syntax error|invalid input syntax|\/work\/|\/tmp\/|ECONN|TypeError|ZodError/i;
const MAX_MS = 2_000;
const GATEWAY = new Set([502, 503, 504]);

/** Style of zod's own messages, which are for developers. */
export const OF_ZOD = /^(Invalid |Too (small|big)|Unrecognized )|\b(expected|received) /;

type Problem = Json & { errors?: { path?: string; message?: string }[] };
type Given = { status: number; contentType: string; text: string; ms: number };

function problemFault({ status, text }: Given): string | null {
  const body: Problem = JSON.parse(text);
  const missing = ["type", "title", "detail", "code", "requestId"].filter(
    (k) => typeof body[k] !== "string" || !body[k],
  );
  if (missing.length > 0) return `problem without ${missing}`;
  if (body.status !== status) return `problem says ${body.status}`;
  if (body.code !== "validation_failed") return null;
  const { errors = [] } = body;
  if (errors.length === 0) return "validation_failed without field errors";
  const nameless = errors.find((e) => !e.path || !e.message);
  if (nameless) return `a field error without path: ${JSON.stringify(nameless)}`;
  const odd = errors.find((e) => OF_ZOD.test(e.message ?? ""));
  return odd ? `words of zod: ${odd.message}` : null;
}

const TRIES = 3;

/** Retries slow answers, because other load can delay any. The last answer counts. */
export async function withRetries<T>(send: () => Promise<T>, faultOfOne: (one: T) => string | null): Promise<T> {
  let one = await send();
  for (let n = 1; n < TRIES && faultOfOne(one)?.startsWith("took "); n++) one = await send();
  return one;
}

/** Fault of an answer, or null. The caller checks the shape of a success. */
export function faultOf({ operation, path }: Described, given: Given): string | null {
  const { status, contentType, text, ms } = given;
  if (!isDocumented(operation.responses, status)) return `undocumented status ${status}`;
  if (status >= 500 && !GATEWAY.has(status)) return `status ${status}`;
  if (ms > MAX_MS) return `took ${Math.round(ms)} ms`;
  const leak = INTERNAL.exec(text)?.[0];
  if (leak && !/openapi|system-library/.test(path)) return `internal text in the body: ${leak}`;
  if (status < 400) return null;
  if (!contentType.startsWith("application/problem+json")) return `content type ${contentType}`;
  return problemFault(given);
}
