import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Catalogue, FILTERS } from "@/server/audit/query/catalogue";
import { listEndpoints } from "@/server/doors/http/openapi";
import { routes } from "@/server/doors/http/routes.generated";
import { apiDocument, apiOperations, exampleFor, exampleIn, type Operation } from "@/testing/api/document";
import { inlined } from "@/testing/api/references";
import { branchesOf, findWord, type Json, propertiesOf, type Side } from "./describe";
import { filterWords } from "./words/filter-words";
import { WORD_TABLES } from "./words/index";

const operations = apiOperations;
const endpoints = listEndpoints(routes);
const good = ({ responses }: Operation) => Object.entries(responses).filter(([status]) => status.startsWith("2"));
const specOf = (name: string) => {
  const found = endpoints.find(
    ({ method, path }) => `${method} ${path.slice("/api/v1".length).replace(/\[(?:\.\.\.)?(\w+)\]/g, "{$1}")}` === name,
  );
  if (!found) throw new Error(`${name} is no operation`);
  return found.spec;
};

type Member = { at: string; way: string[]; schema: Json };
const membersOf = (schema: Json, way: string[]): Member[] => [
  ...branchesOf(schema).flatMap((branch) => membersOf(branch, way)),
  ...["items", "additionalProperties"].flatMap((key) =>
    typeof schema[key] === "object" ? membersOf(schema[key] as Json, way) : [],
  ),
  ...propertiesOf(schema).flatMap(([name, member]) => [
    { at: [...way, name].join("."), way: [...way, name], schema: member },
    ...membersOf(member, [...way, name]),
  ]),
];

/** Every member of every request and answer. */
const members = operations.flatMap(({ name, path, operation }) => {
  const of = (side: Side["side"], found: Member[]) => found.map((member) => ({ name, path, side, ...member }));
  const bodies = Object.values(operation.requestBody?.content ?? {});
  const answers = good(operation).flatMap(([, { content }]) => Object.values(content ?? {}));
  return [
    ...of(
      "request",
      operation.parameters.map((p) => ({ at: `@${p.in}.${p.name}`, way: [`@${p.in}`, p.name], schema: p })),
    ),
    ...of(
      "request",
      bodies.flatMap(({ schema }) => membersOf(schema, [])),
    ),
    ...of(
      "response",
      answers.flatMap(({ schema }) => membersOf(schema, [])),
    ),
  ];
});

describe("the API document", () => {
  it("describes every member of every request and answer", () => {
    expect(members.length).toBeGreaterThan(1500);
    const silent = members.filter(({ schema }) => typeof schema.description !== "string" || !schema.description);
    expect(silent.map(({ name, side, at }) => `${name} ${side} ${at}`)).toEqual([]);
  });

  it("describes a new filter with words from the catalog", () => {
    const added: Catalogue = {
      ...FILTERS,
      site: { label: "Site", match: "part", hint: "part of a site's name" },
      siteId: { label: "Site", match: "exact", isId: true },
    };
    expect(filterWords(added)).toMatchObject({
      site: "Site: part of a site's name; any of several values",
      siteId: "Site: an id; any of several values",
    });
  });

  it("describes every member of an error", () => {
    const { Problem } = (inlined(apiDocument.components, apiDocument) as { schemas: Record<string, Json> }).schemas;
    expect(membersOf(Problem as Json, []).filter(({ schema }) => !schema.description)).toEqual([]);
  });

  it("explains which member deduplicates submitted events", () => {
    const id = members.find(({ name, at }) => name === "POST /audit-logs/events" && at === "events.id");
    expect(id?.schema.description).toMatch(/deduplicates/);
  });

  it("explains which submitted events are dropped", () => {
    const submit = operations.find(({ name }) => name === "POST /audit-logs/events");
    expect(submit?.operation.description).toMatch(
      /`audit:write`\. With a key of all organizations .*`orgId`.* dropped/,
    );
  });

  it("lists every possible response of live queries", () => {
    const live = operations.filter(({ name }) => specOf(name).permission === "devices:live");
    expect(live).toHaveLength(8);
    for (const { name, operation } of live)
      expect(Object.keys(operation.responses), name).toEqual(expect.arrayContaining(["409", "502", "504"]));
  });

  it("has no words for members that do not exist", () => {
    const used = new Set(members.map(({ path, side, way }) => findWord({ path, side }, way)?.place));
    const places = WORD_TABLES.flatMap((table) =>
      (["request", "response"] as const).flatMap((side) =>
        Object.keys(table[side] ?? {}).map((key) => `${table.path} ${side} ${key}`),
      ),
    );
    expect(places.filter((place) => !used.has(place))).toEqual([]);
    expect(places.filter((place, i) => places.indexOf(place) !== i)).toEqual([]);
  });

  it.each(operations)("$name has a valid request example", ({ name, operation }) => {
    const body = Object.values(operation.requestBody?.content ?? {})[0];
    const spec = specOf(name);
    const required = operation.parameters.filter((p) => p.required);
    for (const p of required) expect(exampleFor(p), p.name).toBeDefined();
    if (body && !spec.consumes) expect(exampleIn(body)).toBeDefined();
    const given = Object.fromEntries(required.map((p) => [p.name, exampleFor(p)]));
    const whole = { ...given, ...(spec.consumes ? {} : (exampleIn(body) as object)) };
    expect(spec.input.safeParse(whole).error).toBeUndefined();
    for (const p of operation.parameters.filter((p) => !p.required && p.in === "query" && exampleFor(p) !== undefined))
      expect(spec.input.safeParse({ ...whole, [p.name]: exampleFor(p) }).error, p.name).toBeUndefined();
  });

  it.each(operations)("$name has a valid response example", ({ name, operation }) => {
    const { output, streams } = specOf(name);
    for (const [, { content }] of good(operation))
      for (const [type, media] of Object.entries(content ?? {})) {
        const example = exampleIn(media);
        if (/^application.(gzip|zip)$/.test(type)) continue;
        expect(example, type).toBeDefined();
        const schema = output instanceof z.ZodType ? output : streams;
        if (type === "application/json" && schema) expect(schema.safeParse(example).error).toBeUndefined();
        else expect(typeof example).toBe("string");
      }
  });

  it("gives each operation a unique function name", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]*)*$/.test(id))).toEqual([]);
    expect(ids).toEqual(
      expect.arrayContaining(["listAuditLogs", "createStream", "getDevice", "rotateApiKey", "listStreamBatches"]),
    );
  });

  it("names every shape used by several responses", () => {
    const shapes = new Map<string, number>();
    const walk = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      const { properties } = value as Json;
      if (properties && Object.keys(properties).length > 3) {
        const text = JSON.stringify(properties, (key, inner) =>
          key === "description" && typeof inner === "string" ? undefined : inner,
        );
        shapes.set(text, (shapes.get(text) ?? 0) + 1);
      }
      for (const [key, inner] of Object.entries(value)) if (!key.startsWith("example")) walk(inner);
    };
    walk(apiDocument);
    expect([...shapes].filter(([, times]) => times > 1)).toEqual([]);
    const { schemas } = apiDocument.components as { schemas: object };
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(["AuditEntry", "Device", "Pagination", "Problem", "Result"]),
    );
  });

  it("lists filter values, page limits and response headers", () => {
    const list = operations.find(({ name }) => name === "GET /audit-logs/logs")?.operation as Operation;
    const named = (wanted: string) => list.parameters.find(({ name }) => name === wanted)?.schema;
    expect(named("result")).toMatchObject({ type: "array", items: { enum: ["success", "failure", "denied"] } });
    expect(named("limit")).toMatchObject({ type: "integer", minimum: 1, maximum: 100 });
    expect(Object.keys(list.responses["200"]?.headers ?? {})).toEqual(
      expect.arrayContaining(["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]),
    );
    expect(Object.keys(list.responses["4XX"]?.headers ?? {})).toContain("Retry-After");
  });

  it("describes the groups of operations", () => {
    const tags = new Set((apiDocument.tags as { name: string }[]).map(({ name }) => name));
    expect(operations.flatMap(({ operation }) => operation.tags).filter((tag) => !tags.has(tag))).toEqual([]);
  });

  it("describes the messages to webhooks", () => {
    expect(JSON.stringify(apiDocument.webhooks)).toMatch(
      /notification\.raised.*webhook-signature|webhook-signature.*notification\.raised/,
    );
  });
});
