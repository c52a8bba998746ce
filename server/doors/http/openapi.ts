import { z } from "zod";
import { FILTERS } from "@/server/audit/query/catalogue";
import { splitValues } from "@/server/audit/query/values";
import { BUILD } from "@/server/ground/build";
import { asFile, type Download } from "@/server/ground/download";
import { env } from "@/server/ground/env";
import { operation } from "@/server/ground/operation";
import { mapValues } from "@/server/ground/records";
import { guid } from "@/server/ground/wire";
import { sessionCookie } from "@/server/identity/auth/session-cookie";
import { IDEMPOTENCY_HEADER } from "./idempotency";
import { Components, share, toSchema } from "./reference/components";
import { branchesOf, describeInside, describeMember, type Json, propertiesOf, type Side } from "./reference/describe";
import { exampleOf, shown } from "./reference/example";
import { operationIdOf } from "./reference/operation-id";
import { TAGS } from "./reference/tags";
import { WEBHOOKS } from "./reference/webhooks";
import { HEADERS, nameOfResponse, PROBLEMS, problem, responsesOf, takesIfMatch } from "./responses";
import { type Endpoint, IF_MATCH, isHandler, isIdempotent, METHODS, type RouteFile, type RouteSpec } from "./route";

/**
 * OpenAPI 3.1 document of every REST operation, generated from the validating schemas, so that it cannot become
 * outdated.
 */

const PREFIX = "/api/v1";
let published: RouteFile[] = [];

/** Sets the served route files: the route of this document cannot import the list that contains it. */
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

const paramsOf = (path: string): string[] =>
  [...path.matchAll(/\[(?:\.\.\.)?([^\]]+)\]/g)].map(([, name = ""]) => name);

type Split = {
  inPath: [string, Json][];
  inHeaders: [string, Json][];
  rest: Json & { properties: Record<string, Json>; required: string[] };
};

/** Splits the input schema into path, headers and the rest (query or body). */
function splitInput({ path, spec }: Endpoint): Split {
  const schema = toSchema(spec.input, "input");
  // A forbidden parameter is in the schema only for its description.
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

const IDEMPOTENCY_PARAMETER: Json = {
  name: IDEMPOTENCY_HEADER,
  in: "header",
  required: false,
  description:
    "Sent again with the same key within 24 hours, the request is answered the first answer (with Idempotency-Replayed: true) and creates nothing more; another request is 422, one that is still under way 409.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

const IF_MATCH_PARAMETER: Json = {
  name: IF_MATCH,
  in: "header",
  required: false,
  description: "The ETag that the change was made of: where the settings have another one by now, the answer is 412.",
  schema: { type: "string" },
};

/** Values of a filter, any of which matches: choices or ids, from the catalogue. */
function valuesOf(name: string, items: unknown): unknown {
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name as keyof typeof FILTERS] : undefined;
  if (filter && "choices" in filter) return { type: "string", enum: Object.keys(filter.choices) };
  return filter && "isId" in filter ? toSchema(guid, "input") : items;
}

/** Type passed by a client for a parameter that also accepts text: a number, a boolean or a list. */
function asParameter(name: string, schema: Json): Json {
  const { anyOf: _, ...rest } = schema;
  const typed = leavesOf(schema).find(({ type }) => ["integer", "boolean", "array"].includes(String(type)));
  if (!typed || typed === schema) return schema;
  if (typed.type === "array") return { ...rest, ...typed, items: valuesOf(name, typed.items) };
  const { exclusiveMinimum, ...number } = typed;
  return { ...number, ...(exclusiveMinimum === 0 && { minimum: 1 }), ...rest };
}

const leavesOf = (schema: Json): Json[] =>
  branchesOf(schema).length > 0 ? branchesOf(schema).flatMap(leavesOf) : [schema];

const valuesIn = (text: unknown): unknown[] => (typeof text === "string" ? splitValues(text) : [text]);

/** A parameter with description; its example is in its schema. */
function parameter(
  place: "path" | "query" | "header",
  [name, given]: [string, Json],
  rest: { at: Side; required: boolean },
): Json {
  const wanted = place === "query" ? asParameter(name, given) : given;
  const { description, example, ...described } = describeMember(wanted, rest.at, [`@${place}`, name]);
  const shown = example !== undefined || rest.required ? exampleOf({ ...described, example }, "request") : undefined;
  const value = described.type === "array" && shown !== undefined ? [shown].flat().flatMap(valuesIn) : shown;
  return {
    name,
    in: place,
    required: rest.required,
    ...(description !== undefined && { description }),
    schema: { ...described, ...(value !== undefined && { examples: [value] }) },
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
  return { "application/json": { schema, ...shown(exampleOf(schema, "request")) } };
}

/** Callers of an operation without a permission. */
const CALLERS: Record<RouteSpec["auth"], string> = {
  none: "Needs no credential.",
  user: "Open to every caller with a credential.",
  agent: "Needs the agent's own token.",
};

function descriptionOf({ auth, permission, note }: Endpoint["spec"]): Json {
  const who = permission ? `Needs the permission \`${permission}\`.` : CALLERS[auth];
  return { description: [who, note].filter(Boolean).join(" ") };
}

function toOperation(endpoint: Endpoint) {
  const { method, path, spec } = endpoint;
  const at = documentPath(path);
  const asked: Side = { path: at, side: "request" };
  const { inPath, inHeaders, rest } = splitInput(endpoint);
  const hasBody = spec.body ? spec.body !== "none" : method !== "GET" && method !== "DELETE";
  const query = hasBody && spec.body !== "stream" ? [] : Object.entries(rest.properties);
  return {
    operationId: operationIdOf(method, at),
    summary: spec.summary,
    ...descriptionOf(spec),
    tags: [path.split("/")[3] ?? "api"],
    security: SECURITY[spec.auth],
    parameters: [
      ...inPath.map((found) => parameter("path", found, { at: asked, required: true })),
      ...query.map((found) => parameter("query", found, { at: asked, required: rest.required.includes(found[0]) })),
      ...inHeaders.map((found) => parameter("header", found, { at: asked, required: false })),
      ...(isIdempotent(method, spec) ? [IDEMPOTENCY_PARAMETER] : []),
      ...(takesIfMatch(method, spec) ? [IF_MATCH_PARAMETER] : []),
    ],
    ...(hasBody
      ? {
          requestBody: {
            required: spec.body !== "optional",
            content: spec.consumes ? { [spec.consumes]: { schema: { type: "string" } } } : jsonBody(rest, asked),
          },
        }
      : {}),
    responses: responsesOf(endpoint, at),
  };
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

export function describeApi(endpoints: Endpoint[], server: string): Json {
  const components = new Components();
  const operations = endpoints.map((endpoint) => {
    const is = components.referIn(toOperation(endpoint));
    return { at: documentPath(endpoint.path), method: endpoint.method.toLowerCase(), is, tag: String(is.tags[0]) };
  });
  const usesOf = (of: (is: (typeof operations)[number]["is"]) => Json[]) =>
    operations.flatMap(({ is, tag }) => of(is).map((value) => ({ tag, value })));
  const parameters = share(
    usesOf(({ parameters }) => parameters),
    { kind: "parameters", nameOf: ({ name }) => String(name) },
  );
  const responses = share(
    usesOf(({ responses }) => Object.values(responses)),
    { kind: "responses", nameOf: nameOfResponse },
  );
  const paths: Record<string, Json> = {};
  for (const { at, method, is } of operations) {
    const shared = {
      parameters: is.parameters.map(parameters.refer),
      responses: mapValues(is.responses, responses.refer),
    };
    paths[at] = { ...paths[at], [method]: { ...is, ...shared } };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Trailmark API",
      version: BUILD.version,
      description:
        "Audit trail and event logging for managed service providers. Errors are application/problem+json (RFC 9457).",
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
      contact: { name: "The operator of this server", url: server },
    },
    servers: [{ url: `${server}${PREFIX}` }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    webhooks: mapValues(WEBHOOKS, (webhook) => components.referIn(webhook)),
    paths: sorted(paths),
    components: {
      parameters: parameters.components,
      responses: { ...responses.components, ...PROBLEMS },
      headers: HEADERS,
      schemas: sorted({ ...components.schemas, Problem: toSchema(problem, "output") }),
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
          description: "Set by signing in.",
        },
      },
    },
  };
}

/** GET /openapi.json, described in the document itself. */
export const getApiDocument = operation({
  input: z.object({}),
  output: z.record(z.string(), z.unknown()),
  run: async () => describeApi(listEndpoints(), env().NEXTAUTH_URL),
});

let written: Download | undefined;

/** The document, cached until the process ends. */
export async function apiDocument(): Promise<Download> {
  written ??= asFile("application/json", JSON.stringify(describeApi(listEndpoints(), env().NEXTAUTH_URL)));
  return written;
}
