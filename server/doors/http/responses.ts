import { z } from "zod";
import { ERROR_CODES, type ErrorCode } from "@/server/ground/errors";
import { groupBy } from "@/server/ground/records";
import { toSchema } from "./reference/components";
import { describeInside, type Json } from "./reference/describe";
import { exampleOf, shown } from "./reference/example";
import { streamExample } from "./reference/stream-examples";
import { type Endpoint, isIdempotent, type RouteSpec } from "./route";

const header = (description: string, type: "string" | "integer" = "string"): Json => ({
  description,
  schema: { type },
});

/** Headers of answers. */
const ANSWERED = {
  "X-Request-Id": header("Identifies the request in the server's log"),
  "RateLimit-Limit": header("How much the caller may do: requests that wait, or attempts of a window", "integer"),
  "RateLimit-Remaining": header("How much of it is left", "integer"),
  "RateLimit-Reset": header("Seconds until there is more", "integer"),
  "Retry-After": header("Seconds after which it is worth asking again", "integer"),
  ETag: header("Identifies these settings: send it back as If-Match when you change them"),
  "Idempotency-Replayed": header("true: this is the answer to an earlier request with the same Idempotency-Key"),
  "Content-Disposition": header("The name of the file"),
  "X-Truncated": header("true: more entries meet the filters than the newest 10,000 that are here"),
  "Trailmark-Next": header("Value of `after` for the next request"),
  "Trailmark-Lag": header("Sealed entries behind it", "integer"),
};
type Header = keyof typeof ANSWERED;

/** Name of a header in the document. */
const componentOf = (name: string): string => name.replace(/^(X|Trailmark)-|-/g, "");
/** Headers of answers, by name in the document. */
export const HEADERS = Object.fromEntries(Object.entries(ANSWERED).map(([name, is]) => [componentOf(name), is]));
const headersOf = (...names: readonly Header[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${componentOf(name)}` }]));
const ALWAYS: Header[] = ["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

const fault = z.object({
  path: z.string().describe("Way to the member, such as events.0.action"),
  message: z.string().describe("What is wrong with it"),
});
/** The body of every error (RFC 9457). */
export const problem = z.object({
  type: z.string().describe("Identifies the kind of error"),
  title: z.string().describe("The kind of error in words"),
  status: z.int().describe("The HTTP status"),
  detail: z.string().describe("What went wrong this time"),
  code: z.enum(Object.keys(ERROR_CODES)).describe("Stable code to decide by"),
  requestId: z.string().describe("Identifies the request in the server's log"),
  errors: z.array(fault).optional().describe("With validation_failed: every member at fault"),
  challenge: z.string().optional().describe("With second_factor_required: what the second factor answers"),
  methods: z.array(z.string()).optional().describe("With second_factor_required: the second factors that there are"),
  passkeyOptions: z
    .looseObject({})
    .optional()
    .describe("With second_factor_required: what the browser's authenticator needs for a passkey"),
});

const sayingOf = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => `${ERROR_CODES[code].status} \`${code}\`: ${ERROR_CODES[code].title}`).join("; ");
const refusal = (description: string, ...headers: Header[]): Json => ({
  description,
  headers: headersOf(...ALWAYS, ...headers),
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
});

/** Errors possible in every operation. */
const REFUSED: ErrorCode[] = [
  "validation_failed",
  "validation_error",
  "unauthenticated",
  "forbidden",
  "not_found",
  "conflict",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
];
export const PROBLEMS = {
  Refused: refusal(sayingOf(REFUSED), "Retry-After"),
  Failed: refusal(sayingOf(["unavailable", "internal"]), "Retry-After"),
};

export const takesIfMatch = (method: string, { version }: RouteSpec): boolean =>
  method !== "GET" && version !== undefined;

/** Errors specific to an operation; ranges cover the others. */
function problemResponses({ method, spec }: Endpoint): Record<string, Json> {
  const codes: ErrorCode[] = [
    ...(isIdempotent(method, spec) ? (["idempotency_mismatch"] as const) : []),
    ...(takesIfMatch(method, spec) ? (["precondition_failed"] as const) : []),
    ...(spec.errors ?? []),
  ];
  const byStatus = groupBy(codes, (code): number => ERROR_CODES[code].status);
  return {
    ...Object.fromEntries([...byStatus].map(([status, found]) => [String(status), refusal(sayingOf(found))])),
    "4XX": { $ref: "#/components/responses/Refused" },
    "5XX": { $ref: "#/components/responses/Failed" },
  };
}

/** A media type of an answer: its schema and an example. */
function answerOf(endpoint: Endpoint, at: string, type: string): Json {
  const { output, streams } = endpoint.spec;
  const declared = output === "empty" || output === "stream" ? streams : output;
  if (type !== "application/json" || !declared)
    return { schema: { type: "string" }, ...shown(streamExample(`${endpoint.method} ${at}`, type)) };
  const schema = describeInside(toSchema(declared, "output"), { path: at, side: "response" });
  return { schema, ...shown(exampleOf(schema, "response")) };
}

/** Headers of streamed answers other than files. */
const OF_FILES: Readonly<Record<string, readonly Header[]>> = {
  "GET /agents/{id}/commands": [],
  "GET /audit-logs/feed": ["Trailmark-Next", "Trailmark-Lag"],
  "GET /audit-logs/export": ["Content-Disposition", "X-Truncated"],
  "POST /audit-logs/export": ["Content-Disposition", "X-Truncated"],
  "GET /audit-logs/exports/{id}/file": ["Content-Disposition", "ETag"],
};

type Answered = { at: string; types: readonly string[] };

function headersOfSuccess({ method, spec }: Endpoint, { at, types }: Answered): Json {
  const isFile = types.some((type) => type !== "application/json");
  return headersOf(
    ...ALWAYS,
    ...(spec.version && spec.output !== "empty" ? (["ETag"] as const) : []),
    ...(isIdempotent(method, spec) ? (["Idempotency-Replayed"] as const) : []),
    ...(isFile ? (OF_FILES[`${method} ${at}`] ?? (["Content-Disposition"] as const)) : []),
  );
}

export function responsesOf(endpoint: Endpoint, at: string): Record<string, Json> {
  const { spec } = endpoint;
  const status = String(spec.status ?? (spec.output === "empty" ? 204 : 200));
  const isStream = spec.output === "stream";
  const types = isStream ? (spec.produces ?? ["application/octet-stream"]) : ["application/json"];
  const headers = headersOfSuccess(endpoint, { at, types });
  if (spec.output === "empty") return { [status]: { description: "Done", headers }, ...problemResponses(endpoint) };
  const content = Object.fromEntries(types.map((type) => [type, answerOf(endpoint, at, type)]));
  return {
    [status]: { description: isStream ? "Success, as a stream" : "Success", headers, content },
    ...(spec.partial && { 206: { description: "The range that was asked for", headers, content } }),
    ...problemResponses(endpoint),
  };
}

/** Name of a shared response: from its schema or codes, Done without a body; null for others. */
export function nameOfResponse({ description, content }: Json): string | null {
  if (content === undefined) return "Done";
  const schema = /"application\/json":\{"schema":\{"\$ref":"#\/components\/schemas\/(\w+)"/.exec(
    JSON.stringify(content),
  )?.[1];
  const codes = [...String(description).matchAll(/`(\w+)`/g)].map(([, code]) => code).join(" or ");
  return schema ?? (codes || null);
}
