import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Catalogue, FILTERS } from "@/server/audit/query/catalogue";
import { describeApi, listEndpoints } from "@/server/doors/http/openapi";
import { routes } from "@/server/doors/http/routes.generated";
import { branchesOf, findWord, type Json, propertiesOf, type Side } from "./describe";
import { filterWords } from "./words/filter-words";
import { WORD_TABLES } from "./words/index";

type Media = { schema: Json; example?: unknown };
type Operation = {
  description?: string;
  parameters: { name: string; in: string; required: boolean; description?: string; example?: unknown; schema: Json }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
};

const endpoints = listEndpoints(routes);
const document = describeApi(endpoints, "http://127.0.0.1:3000");
const paths = document.paths as Record<string, Record<string, Operation>>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
);
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

  it("describes a filter that no table has words for: what the catalogue says of it", () => {
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
    const { Problem } = (document.components as { schemas: Record<string, Json> }).schemas;
    expect(membersOf(Problem as Json, []).filter(({ schema }) => !schema.description)).toEqual([]);
  });

  it("says what deduplicates submitted events", () => {
    const id = members.find(({ name, at }) => name === "POST /audit-logs/events" && at === "events.id");
    expect(id?.schema.description).toMatch(/deduplicates/);
  });

  it("says beforehand which submitted event is dropped", () => {
    const submit = operations.find(({ name }) => name === "POST /audit-logs/events");
    expect(submit?.operation.description).toMatch(
      /`audit:write`\. With a key of all organizations .*`orgId`.* dropped/,
    );
  });

  it("says what every live query may answer", () => {
    const live = operations.filter(({ name }) => specOf(name).permission === "devices:live");
    expect(live).toHaveLength(8);
    for (const { name, operation } of live)
      expect(Object.keys(operation.responses), name).toEqual(expect.arrayContaining(["409", "502", "504"]));
  });

  it("has no words about members that do not exist", () => {
    const used = new Set(members.map(({ path, side, way }) => findWord({ path, side }, way)?.place));
    const places = WORD_TABLES.flatMap((table) =>
      (["request", "response"] as const).flatMap((side) =>
        Object.keys(table[side] ?? {}).map((key) => `${table.path} ${side} ${key}`),
      ),
    );
    expect(places.filter((place) => !used.has(place))).toEqual([]);
    expect(places.filter((place, i) => places.indexOf(place) !== i)).toEqual([]);
  });

  it.each(operations)("$name has a request example that its own schema takes", ({ name, operation }) => {
    const body = Object.values(operation.requestBody?.content ?? {})[0];
    const spec = specOf(name);
    const required = operation.parameters.filter((p) => p.required);
    for (const p of required) expect(p.example, p.name).toBeDefined();
    if (body && !spec.consumes) expect(body.example).toBeDefined();
    const given = Object.fromEntries(required.map((p) => [p.name, p.example]));
    const whole = { ...given, ...(spec.consumes ? {} : (body?.example as object)) };
    expect(spec.input.safeParse(whole).error).toBeUndefined();
    for (const p of operation.parameters.filter((p) => !p.required && p.in === "query" && p.example !== undefined))
      expect(spec.input.safeParse({ ...whole, [p.name]: p.example }).error, p.name).toBeUndefined();
  });

  it.each(operations)("$name has an answer example that its own schema takes", ({ name, operation }) => {
    const { output, streams } = specOf(name);
    for (const [, { content }] of good(operation))
      for (const [type, { example }] of Object.entries(content ?? {})) {
        if (type === "application/gzip") continue;
        expect(example, type).toBeDefined();
        const schema = output instanceof z.ZodType ? output : streams;
        if (type === "application/json" && schema) expect(schema.safeParse(example).error).toBeUndefined();
        else expect(typeof example).toBe("string");
      }
  });
});
