import { z } from "zod";
import { version } from "@/package.json";
import { sessionCookie } from "@/server/auth/session-cookie";
import { env } from "@/server/env";
import { ERROR_CODES, type ErrorCode } from "@/server/errors";
import { operation } from "@/server/operation";
import { IDEMPOTENCY_HEADER } from "./idempotency";
import { isIdempotent, type RouteFile, type RouteHandler, type RouteSpec } from "./route";

/**
 * The OpenAPI 3.1 document of every REST operation, made from the very schemas that validate: nothing about a route is
 * written twice, so the document cannot lag behind it.
 */

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
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

type Json = Record<string, unknown>;
export type Endpoint = { method: string; path: string; spec: RouteSpec };

let published: RouteFile[] = [];

/** Names the route files that are served: the one that answers this document cannot import the list it stands in. */
export function publishRoutes(files: RouteFile[]): void {
  published = files;
}

/** Every declared REST operation of the file tree. */
export function listEndpoints(files: RouteFile[] = published): Endpoint[] {
  return files.flatMap(({ path, module }) =>
    METHODS.flatMap((method) => {
      const spec = (module[method] as RouteHandler | undefined)?.spec;
      return spec && path.startsWith(PREFIX) ? [{ method, path, spec }] : [];
    }),
  );
}

const toSchema = (schema: z.ZodType, io: "input" | "output"): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    target: "draft-2020-12",
  }) as Json;
  return rest;
};

const paramsOf = (path: string): string[] => [...path.matchAll(/\[(?:\.\.\.)?([^\]]+)\]/g)].map((m) => m[1] as string);

type Split = { inPath: [string, Json][]; inHeaders: [string, Json][]; rest: Json };

/** The input schema split into what stands in the path, in headers, and the rest (query or body). */
function splitInput({ path, spec }: Endpoint): Split {
  const schema = toSchema(spec.input, "input");
  const properties = { ...((schema.properties as Record<string, Json>) ?? {}) };
  const required = new Set((schema.required as string[]) ?? []);
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
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
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

function success(spec: RouteSpec): Json {
  const status = String(spec.status ?? (spec.output === "empty" ? 204 : 200));
  if (spec.output === "empty") return { [status]: { description: "Done" } };
  if (spec.output !== "stream")
    return {
      [status]: {
        description: "Success",
        content: { "application/json": { schema: toSchema(spec.output, "output") } },
      },
    };
  const types = spec.produces ?? ["application/octet-stream"];
  const content = Object.fromEntries(types.map((type) => [type, { schema: { type: "string" } }]));
  return {
    [status]: { description: "Success, as a stream", content },
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

const SECURITY: Record<RouteSpec["auth"], Json[]> = {
  none: [],
  user: [{ accessToken: [] }, { apiKey: [] }, { session: [] }],
  agent: [{ agentToken: [] }],
};

function toOperation(endpoint: Endpoint): Json {
  const { method, path, spec } = endpoint;
  const { inPath, inHeaders, rest } = splitInput(endpoint);
  const hasBody = spec.body ? spec.body !== "none" : method !== "GET" && method !== "DELETE";
  const properties = rest.properties as Record<string, Json>;
  const query = hasBody && spec.body !== "stream" ? [] : Object.entries(properties);
  return {
    operationId: `${method.toLowerCase()}${path
      .slice(PREFIX.length)
      .replace(/[^a-zA-Z]+([a-zA-Z])/g, (_, c: string) => c.toUpperCase())
      .replace(/[^a-zA-Z]/g, "")}`,
    summary: spec.summary,
    ...(spec.permission ? { description: `Needs the permission \`${spec.permission}\`.` } : {}),
    tags: [path.split("/")[3] ?? "api"],
    security: SECURITY[spec.auth],
    parameters: [
      ...inPath.map(([name, schema]) => ({ name, in: "path", required: true, schema })),
      ...query.map(([name, schema]) => ({
        name,
        in: "query",
        required: (rest.required as string[]).includes(name),
        schema,
      })),
      ...inHeaders.map(([name, schema]) => ({ name, in: "header", required: false, schema })),
      ...(isIdempotent(method, spec) ? [IDEMPOTENCY_PARAMETER] : []),
    ],
    ...(hasBody
      ? {
          requestBody: {
            required: spec.body !== "optional",
            content: { [spec.consumes ?? "application/json"]: { schema: spec.consumes ? { type: "string" } : rest } },
          },
        }
      : {}),
    responses: { ...success(spec), ...problemResponses(endpoint, hasBody) },
  };
}

const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
  requestId: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  challenge: z.string().optional(),
  methods: z.array(z.string()).optional(),
  passkeyOptions: z.looseObject({}).optional(),
});

/** The whole document. */
export function describeApi(endpoints: Endpoint[], server: string): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.slice(PREFIX.length).replace(/\[(?:\.\.\.)?([^\]]+)\]/g, "{$1}");
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

/** GET /openapi.json. */
export const getApiDocument = operation({
  input: z.object({}),
  output: z.record(z.string(), z.unknown()),
  run: async () => describeApi(listEndpoints(), env().NEXTAUTH_URL),
});
