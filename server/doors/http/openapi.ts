import { z } from "zod";
import { version } from "@/package.json";
import { env } from "@/server/ground/env";
import { ERROR_CODES, type ErrorCode } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { groupBy } from "@/server/ground/records";
import { sessionCookie } from "@/server/identity/auth/session-cookie";
import { IDEMPOTENCY_HEADER } from "./idempotency";
import { describeInside, describeMember, type Json, propertiesOf, type Side } from "./reference/describe";
import { exampleOf } from "./reference/example";
import { streamExample } from "./reference/stream-examples";
import { isHandler, isIdempotent, METHODS, type RouteFile, type RouteSpec } from "./route";

/**
 * The OpenAPI 3.1 document of every REST operation, made from the very schemas that validate: nothing about a route is
 * written twice, so the document cannot lag behind it.
 */

const PREFIX = "/api/v1";
/** What any operation may answer besides success; a spec adds its own. */
const COMMON: ErrorCode[] = [
  "validation_failed",
  "unauthenticated",
  "forbidden",
  "not_found",
  "conflict",
  "rate_limited",
  "unavailable",
];
const WITH_BODY: ErrorCode[] = ["payload_too_large", "unsupported_media_type"];

export type Endpoint = { method: string; path: string; spec: RouteSpec };

let published: RouteFile[] = [];

/** Names the route files that are served: the one that answers this document cannot import the list it is in. */
export function publishRoutes(files: RouteFile[]): void {
  published = files;
}

/** Every declared REST operation of the file tree. */
export function listEndpoints(files: RouteFile[] = published): Endpoint[] {
  return files.flatMap(({ path, module }) =>
    METHODS.flatMap((method) => {
      const handler = module[method];
      return isHandler(handler) && handler.spec && path.startsWith(PREFIX)
        ? [{ method, path, spec: handler.spec }]
        : [];
    }),
  );
}

const toSchema = (schema: z.ZodType, io: "input" | "output"): Json => {
  const options = { io, unrepresentable: "any", target: "draft-2020-12" } as const;
  const { $schema: _, ...rest } = z.toJSONSchema(schema, options);
  return rest;
};

const paramsOf = (path: string): string[] =>
  [...path.matchAll(/\[(?:\.\.\.)?([^\]]+)\]/g)].map(([, name = ""]) => name);

type Split = {
  inPath: [string, Json][];
  inHeaders: [string, Json][];
  rest: Json & { properties: Record<string, Json>; required: string[] };
};

/** The input schema split into what is in the path, in headers, and the rest (query or body). */
function splitInput({ path, spec }: Endpoint): Split {
  const schema = toSchema(spec.input, "input");
  // What no request may have is in the schema for its words alone.
  const properties = Object.fromEntries(propertiesOf(schema).filter(([, member]) => !("not" in member)));
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : []);
  const inPath = paramsOf(path).map((name): [string, Json] => {
    const found = properties[name] ?? { type: "string" };
    delete properties[name];
    required.delete(name);
    return [name, found];
  });
  const inHeaders = Object.entries(spec.headers ?? {}).map(([name, header]): [string, Json] => {
    const found = properties[name] ?? { type: "string" };
    delete properties[name];
    return [header, found];
  });
  return { inPath, inHeaders, rest: { ...schema, type: "object", properties, required: [...required] } };
}

function problemResponses({ method, spec }: Endpoint, hasBody: boolean): Json {
  const repeatable: ErrorCode[] = isIdempotent(method, spec) ? ["idempotency_mismatch"] : [];
  const codes = [...COMMON, ...(hasBody ? WITH_BODY : []), ...repeatable, ...(spec.errors ?? [])];
  const byStatus = groupBy(codes, (code): number => ERROR_CODES[code].status);
  const answers = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    answers.map(([status, found]) => [
      String(status),
      {
        description: found.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}`).join("; "),
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    ]),
  );
}

/** One media type of an answer: what JSON consists of, and an example. */
function answerOf(endpoint: Endpoint, at: string, type: string): Json {
  const { output, streams } = endpoint.spec;
  const declared = output === "empty" || output === "stream" ? streams : output;
  if (type !== "application/json" || !declared)
    return { schema: { type: "string" }, example: streamExample(`${endpoint.method} ${at}`, type) };
  const schema = describeInside(toSchema(declared, "output"), { path: at, side: "response" });
  return { schema, example: exampleOf(schema, "response") };
}

function success(endpoint: Endpoint, at: string): Json {
  const { spec } = endpoint;
  const status = String(spec.status ?? (spec.output === "empty" ? 204 : 200));
  if (spec.output === "empty") return { [status]: { description: "Done" } };
  const isStream = spec.output === "stream";
  const types = isStream ? (spec.produces ?? ["application/octet-stream"]) : ["application/json"];
  const content = Object.fromEntries(types.map((type) => [type, answerOf(endpoint, at, type)]));
  return {
    [status]: { description: isStream ? "Success, as a stream" : "Success", content },
    ...(spec.partial && { 206: { description: "The range that was asked for", content } }),
  };
}

const IDEMPOTENCY_PARAMETER: Json = {
  name: IDEMPOTENCY_HEADER,
  in: "header",
  required: false,
  description:
    "Sent again with the same key within 24 hours, the request is answered the first answer (with Idempotency-Replayed: true) and creates nothing more; another request is 422, one that is still under way 409.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** A parameter, described at its own level too, as readers of such documents expect it. */
function parameter(
  place: "path" | "query" | "header",
  [name, schema]: [string, Json],
  rest: { at: Side; required: boolean; label?: string },
): Json {
  const { description, example, ...described } = describeMember(schema, rest.at, [`@${place}`, name]);
  return {
    name,
    in: place,
    required: rest.required,
    ...(description !== undefined && { description }),
    ...((example !== undefined || rest.required) && { example: exampleOf({ ...described, example }, "request") }),
    schema: described,
  };
}

const SECURITY: Record<RouteSpec["auth"], Json[]> = {
  none: [],
  user: [{ accessToken: [] }, { apiKey: [] }, { session: [] }],
  agent: [{ agentToken: [] }],
};

const documentPath = (path: string): string => path.slice(PREFIX.length).replace(/\[(?:\.\.\.)?([^\]]+)\]/g, "{$1}");

function jsonBody(body: Json, at: Side): Json {
  const schema = describeInside(body, at);
  return { "application/json": { schema, example: exampleOf(schema, "request") } };
}

function descriptionOf({ permission, note }: Endpoint["spec"]): Json {
  const sentences = [permission && `Needs the permission \`${permission}\`.`, note].filter(Boolean);
  return sentences.length > 0 ? { description: sentences.join(" ") } : {};
}

function toOperation(endpoint: Endpoint): Json {
  const { method, path, spec } = endpoint;
  const at = documentPath(path);
  const asked: Side = { path: at, side: "request" };
  const { inPath, inHeaders, rest } = splitInput(endpoint);
  const hasBody = spec.body ? spec.body !== "none" : method !== "GET" && method !== "DELETE";
  const query = hasBody && spec.body !== "stream" ? [] : Object.entries(rest.properties);
  return {
    operationId: `${method.toLowerCase()}${path
      .slice(PREFIX.length)
      .replace(/[^a-zA-Z]+([a-zA-Z])/g, (_, c: string) => c.toUpperCase())
      .replace(/[^a-zA-Z]/g, "")}`,
    summary: spec.summary,
    ...descriptionOf(spec),
    tags: [path.split("/")[3] ?? "api"],
    security: SECURITY[spec.auth],
    parameters: [
      ...inPath.map((found) => parameter("path", found, { at: asked, required: true })),
      ...query.map((found) => parameter("query", found, { at: asked, required: rest.required.includes(found[0]) })),
      ...inHeaders.map((found) => parameter("header", found, { at: asked, required: false })),
      ...(isIdempotent(method, spec) ? [IDEMPOTENCY_PARAMETER] : []),
    ],
    ...(hasBody
      ? {
          requestBody: {
            required: spec.body !== "optional",
            content: spec.consumes ? { [spec.consumes]: { schema: { type: "string" } } } : jsonBody(rest, asked),
          },
        }
      : {}),
    responses: { ...success(endpoint, at), ...problemResponses(endpoint, hasBody) },
  };
}

const fault = z.object({
  path: z.string().describe("Way to the member, such as events.0.action"),
  message: z.string().describe("What is wrong with it"),
});
const problem = z.object({
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

/** The whole document. */
export function describeApi(endpoints: Endpoint[], server: string): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = documentPath(endpoint.path);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: toOperation(endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Trailmark API",
      version,
      description:
        "Audit trail and event logging for managed service providers. Errors are application/problem+json (RFC 9457).",
    },
    servers: [{ url: `${server}${PREFIX}` }],
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: { Problem: toSchema(problem, "output") },
      securitySchemes: {
        accessToken: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "From POST /auth/token." },
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "An API key (tmk_…); Authorization: Bearer works too.",
        },
        agentToken: {
          type: "http",
          scheme: "bearer",
          description: "An agent's token (tma_…) from POST /agents/enroll, for its own id alone.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookie(server.startsWith("https:")),
          description: "The browser's session.",
        },
      },
    },
  };
}

let written: Json | undefined;

/** GET /openapi.json. The document is the same until the process ends. */
export const getApiDocument = operation({
  input: z.object({}),
  output: z.record(z.string(), z.unknown()),
  run: async () => (written ??= describeApi(listEndpoints(), env().NEXTAUTH_URL)),
});
