import { capitalized } from "@/server/ground/text";

/** The subset of OpenAPI 3.1 and JSON Schema that our document uses. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: boolean | Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
};

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
};
type Content = Record<string, { schema: Schema; example?: unknown }>;
type DocumentedResponse = { description: string; content?: Content };

export type Operation = {
  operationId: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description?: string;
  security: Record<string, unknown>[];
  parameters: Parameter[];
  body: { required: boolean; type: string; schema: Schema; example?: unknown } | null;
  responses: Record<string, DocumentedResponse>;
};

type SecurityScheme = { type: string; name?: string; description?: string };
export type ApiDocument = {
  title: string;
  version: string;
  base: string;
  operations: Operation[];
  schemas: Record<string, Schema>;
  securitySchemes: Record<string, SecurityScheme>;
};

type RawOperation = Omit<Operation, "method" | "path" | "tag" | "body"> & {
  tags?: string[];
  requestBody?: { required?: boolean; content: Content };
};
type RawDocument = {
  info: { title: string; version: string };
  servers?: { url: string }[];
  paths: Record<string, Record<string, RawOperation>>;
  components?: { schemas?: Record<string, Schema>; securitySchemes?: Record<string, SecurityScheme> };
};

function toOperation(path: string, method: string, raw: RawOperation): Operation {
  const [type, content] = Object.entries(raw.requestBody?.content ?? {})[0] ?? [];
  return {
    ...raw,
    method: method.toUpperCase(),
    path,
    tag: raw.tags?.[0] ?? "api",
    parameters: raw.parameters ?? [],
    security: raw.security ?? [],
    body: type && content ? { required: raw.requestBody?.required ?? false, type, ...content } : null,
  };
}

/** Flattens the document's operations into a list. */
export function readDocument(raw: RawDocument): ApiDocument {
  return {
    title: raw.info.title,
    version: raw.info.version,
    base: raw.servers?.[0]?.url ?? "/api/v1",
    operations: Object.entries(raw.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => toOperation(path, method, operation)),
    ),
    schemas: raw.components?.schemas ?? {},
    securitySchemes: raw.components?.securitySchemes ?? {},
  };
}

/** Operations whose method, path, summary or tag contain every word of the search. */
export function findOperations(operations: Operation[], search: string): Operation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter((o) => {
    const text = `${o.method} ${o.path} ${o.summary} ${o.tag}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

const SPECIAL: Record<string, string> = {
  api: "API",
  "api-keys": "API keys",
  orgs: "Organizations",
  me: "The caller",
  "openapi.json": "This document",
};

/** Formats a tag: "Audit logs" for "audit-logs". */
export function tagLabel(tag: string): string {
  if (SPECIAL[tag]) return SPECIAL[tag];
  return capitalized(tag.replaceAll("-", " "));
}

/** Resolves a reference within the document. */
export function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  const name = schema.$ref?.split("/").pop();
  return name ? (schemas[name] ?? {}) : schema;
}
