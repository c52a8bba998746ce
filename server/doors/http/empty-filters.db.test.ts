import { beforeAll, describe, expect, it } from "vitest";
import { FILTERS, type Filter } from "@/server/audit/query/catalogue";
import { createProbeWorld, described, hints, probe } from "@/testing/api/probe";

beforeAll(createProbeWorld);

type Schema = {
  type?: string;
  format?: string;
  pattern?: string;
  minLength?: number;
  enum?: unknown[];
  anyOf?: Schema[];
};
type Parameter = { name: string; in: string; required: boolean; schema: Schema };
const parametersOf = ({ parameters = [] }: { parameters?: unknown[] }) => parameters as Parameter[];

/** Parameters that page and order the rows or say what to do, and do not choose among them. */
const NO_FILTERS = ["page", "limit", "cursor", "skipCount", "sort", "order", "sign"];

const takesText = ({ type, format, pattern, minLength, anyOf, enum: words }: Schema): boolean =>
  anyOf?.some(takesText) ?? (words !== undefined || (type === "string" && !format && !pattern && !minLength));

/** Filters whose values are ids: an empty one is none of them. */
const IDS: readonly string[] = Object.entries<Filter>(FILTERS)
  .filter(([, { isId }]) => isId)
  .map(([name]) => name);

const lists = described.filter(
  ({ method, operation }) =>
    method === "GET" && parametersOf(operation).some(({ name, in: place }) => name === "limit" && place === "query"),
);

describe("an empty filter is ignored, but an empty ID is rejected", () => {
  it.each(lists.map((list) => [list.path, list] as const))("by GET %s", async (path, list) => {
    const all = parametersOf(list.operation);
    const inPath = all.filter(({ in: place }) => place === "path");
    const params = Object.fromEntries(inPath.map(({ name }) => [name, hints.params(path, name)[0] ?? "1"]));
    const must = all.filter(({ in: place, required }) => place === "query" && required);
    const ask = async (names: string[]) => {
      const query = [...must.map(({ name }) => `${name}=device`), ...names.map((name) => `${name}=`)].join("&");
      return (await probe(list, { params, query, body: null, headers: {} })).status;
    };
    const names = all
      .filter(
        ({ name, in: place, required, schema }) =>
          place === "query" && !required && takesText(schema) && !NO_FILTERS.includes(name),
      )
      .map(({ name }) => name);
    const usual = await ask([]);
    const wrong: string[] = [];
    for (const name of names) {
      const status = await ask([name]);
      const due = IDS.includes(name) ? 400 : usual;
      if (status !== due) wrong.push(`${name}: ${status} instead of ${due}`);
    }
    expect(wrong).toEqual([]);
  });
});
