import { expect, it } from "vitest";
import { z } from "zod";
import { apiOperations, type Operation } from "@/testing/api/document";
import { appendEvents } from "@/testing/audit-entries";
import { createApiKey, createOrg } from "@/testing/factories";
import type { RouteHandler } from "./route";
import { routes } from "./routes.generated";

const ENTRIES = 10_000;
const BATCH = 1_000;

/** A client that knows the API document alone: it sends what that declares and takes nothing that it does not. */
function clientOf(operationId: string, token: string) {
  const found = apiOperations.find(({ operation }) => operation.operationId === operationId);
  if (!found) throw new Error(`the document has no ${operationId}`);
  const { parameters, responses }: Operation = found.operation;
  const schema = responses["200"]?.content?.["application/json"]?.schema;
  if (!schema) throw new Error("the answer has no schema");
  const answer = z.fromJSONSchema(schema);
  const handler = routes.find(({ path }) => path === `/api/v1${found.path}`)?.module.GET as RouteHandler;
  return async (query: Record<string, string | number>): Promise<unknown> => {
    for (const [name, value] of Object.entries(query)) {
      const parameter = parameters.find((one) => one.in === "query" && one.name === name);
      if (!parameter) throw new Error(`${operationId} takes no ${name}`);
      z.fromJSONSchema(parameter.schema).parse(value);
    }
    const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const url = `http://127.0.0.1:3000/api/v1${found.path}?${new URLSearchParams(given)}`;
    const response = await handler(new Request(url, { headers: { "x-api-key": token } }), {
      params: Promise.resolve({}),
    });
    for (const name of Object.keys(responses["200"]?.headers ?? {}))
      expect(response.headers.has(name), name).toBe(true);
    return answer.parse(await response.json());
  };
}

const page = z.looseObject({
  data: z.array(z.looseObject({ id: z.string() })),
  pagination: z.looseObject({ nextCursor: z.string().nullable() }),
});

it("a client built from the API document pages through 10,000 entries, each once", async () => {
  const { id: orgId } = await createOrg();
  const append = (count: number) =>
    appendEvents(Array.from({ length: count }, () => ({ orgId, action: "device.update" })));
  for (let done = 0; done < ENTRIES; done += BATCH) await append(BATCH);
  const list = clientOf("listAuditLogs", (await createApiKey({ orgId })).key);
  await expect(list({ limit: 101 })).rejects.toThrow();
  const seen: string[] = [];
  let next: string | null = null;
  do {
    const { data, pagination } = page.parse(await list({ limit: 100, ...(next !== null && { cursor: next }) }));
    seen.push(...data.map(({ id }) => id));
    next = pagination.nextCursor;
    if (seen.length % 2_000 === 0) await append(10);
  } while (next !== null);
  expect(seen.length).toBe(ENTRIES);
  expect(new Set(seen).size).toBe(ENTRIES);
});
