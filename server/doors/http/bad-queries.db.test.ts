import { beforeAll, describe, expect, it } from "vitest";
import { BAD_TEXTS } from "@/testing/api/fuzz-values";
import { createProbeWorld, described, hints, probe, summary } from "@/testing/api/probe";
import { reportCases } from "@/testing/ordered";

beforeAll(createProbeWorld);

const AT_ONCE = 4;
const AWKWARD = [
  "empty",
  "nul",
  "loneHigh",
  "noncharacter",
  "wildcards",
  "backslash",
  "proto",
  "constructorName",
  "jsonText",
  "arrayText",
  "hugeDigits",
  "uuidAlmost",
  "farDate",
  "bigOffset",
];
const VALUES = {
  ...Object.fromEntries(AWKWARD.map((name) => [name, BAD_TEXTS[name] ?? ""])),
  lastInstant: "9999-12-31T23:59:59.999Z",
  commas: ",,,",
  openQuote: '"a',
  nulInList: 'x,"a\0b",result:\0',
};

type Parameter = { name: string; in: string; schema: object };
const parametersIn = (operation: Record<string, unknown>, place: string): string[] =>
  ((operation.parameters ?? []) as Parameter[]).filter((p) => p.in === place).map(({ name }) => name);

const readers = described.filter(
  ({ method, operation }) => method === "GET" && parametersIn(operation, "query").length > 0,
);

describe("an invalid value in one query parameter", () => {
  it.each(readers.map((reader) => [reader.path, reader] as const))(
    "is rejected by GET %s with its name",
    async (path, reader) => {
      const params = Object.fromEntries(
        parametersIn(reader.operation, "path").map((name) => [name, hints.params(path, name)[0] ?? "1"]),
      );
      const cases = parametersIn(reader.operation, "query").flatMap((name) =>
        Object.entries(VALUES).map(([kind, value]) => ({ name, kind, query: new URLSearchParams({ [name]: value }) })),
      );
      const total = cases.length;
      const wrong: string[] = [];
      const worker = async () => {
        for (let next = cases.pop(); next; next = cases.pop()) {
          const { fault } = await probe(reader, { params, query: String(next.query), body: null, headers: {} });
          // How long an answer takes is for other tests to say.
          if (fault && !fault.startsWith("took")) wrong.push(`${next.name}=${next.kind}: ${fault}`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      expect(summary(wrong)).toEqual([]);
      reportCases(total);
    },
  );
});

it("rejects unknown query parameters by name", async () => {
  const wrong: string[] = [];
  for (const operation of described) {
    const { path, method } = operation;
    const params = Object.fromEntries(
      parametersIn(operation.operation, "path").map((name) => [name, hints.params(path, name)[0] ?? "1"]),
    );
    const { status, fault, text } = await probe(operation, { params, query: "limt=5", body: null, headers: {} });
    const isRefused = status === 400 && text.includes("limt is not a query parameter here");
    if (fault || !(isRefused || [401, 403].includes(status)))
      wrong.push(`${method} ${path}: ${fault ?? status} ${text}`);
  }
  expect(wrong).toEqual([]);
});

/** Values that no operation accepts, by what the document says of a parameter. */
function invalidFor({ name, schema }: Parameter): string[] {
  const text = JSON.stringify(schema);
  if (name === "page" || name === "limit") return ["0", "-1", "1.5", "ten"];
  if (text.includes('"format":"date-time"')) return ["soon", "2026-13-01T00:00:00Z"];
  if (/"format":"(uuid|guid)"/.test(text)) return ["7"];
  return text.includes('"enum":') ? ["no such value"] : [];
}

it("rejects an invalid page, limit, time, ID and choice by name in every path and query", async () => {
  const wrong: string[] = [];
  let tried = 0;
  for (const operation of described) {
    const { path, method } = operation;
    const given = (operation.operation.parameters ?? []) as Parameter[];
    const params = Object.fromEntries(
      parametersIn(operation.operation, "path").map((name) => [name, hints.params(path, name)[0] ?? "1"]),
    );
    for (const parameter of given.filter(({ in: place }) => place === "path" || place === "query"))
      for (const value of invalidFor(parameter)) {
        const { name, in: place } = parameter;
        const query = place === "query" ? `${name}=${encodeURIComponent(value)}` : "";
        const sent = {
          params: place === "path" ? { ...params, [name]: value } : params,
          query,
          body: null,
          headers: {},
        };
        const { status, text } = await probe(operation, sent);
        tried++;
        const isNamed =
          status === 400 && JSON.parse(text).errors?.some((e: { path: string }) => e.path.split(".")[0] === name);
        if (!isNamed && ![401, 403, 415].includes(status))
          wrong.push(`${method} ${path} ${name}=${value}: ${status} ${text}`);
      }
  }
  expect(summary(wrong)).toEqual([]);
  expect(tried).toBeGreaterThan(300);
});
