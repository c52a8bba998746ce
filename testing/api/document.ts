import { describeApi, listEndpoints } from "@/server/doors/http/openapi";
import type { Json } from "@/server/doors/http/reference/describe";
import { routes } from "@/server/doors/http/routes.generated";
import { inlined } from "./references";

type Media = { schema: Json; examples?: { example: { value: unknown } } };
export type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Json & { examples?: unknown[] };
};
export type Operation = {
  operationId: string;
  tags: string[];
  description?: string;
  parameters: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; headers?: Json; content?: Record<string, Media> }>;
};

/** API document of every route. */
export const apiDocument: Json = JSON.parse(
  JSON.stringify(describeApi(listEndpoints(routes), "http://127.0.0.1:3000")),
);

/** Its operations, without references. */
export const apiOperations = Object.entries(
  inlined(apiDocument.paths, apiDocument) as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
);

/** The example of a media type or a parameter. */
export const exampleIn = (media: Media | undefined): unknown => media?.examples?.example.value;
export const exampleFor = ({ schema }: Parameter): unknown => schema.examples?.[0];
