import { expect, test } from "vitest";
import { z } from "zod";
import { complete, suggestionsFor } from "@/components/audit/search/completion";
import { parseQuery } from "@/components/audit/search/query-text";
import { chipsOf, labelOf, valueLabel } from "@/components/audit/state/describe-filters";
import { loadView, parsersOf, toListInput, viewParsers } from "@/components/audit/state/view";
import { type Catalogue, FILTER_NAMES, FILTERS } from "@/server/audit/query/catalogue";
import { filterShape, inputsOf } from "@/server/audit/schema";
import { FACETS } from "./facets-query";

/** The catalogue with one more filter, to test that an entry in the catalogue is enough. */
const CHANNELS = { web: "Web", api: "API" } as const;
const MORE = {
  ...FILTERS,
  channel: {
    label: "Channel",
    match: "exact",
    choices: CHANNELS,
    negatable: true,
    qualifier: "via",
    hint: "web or api",
  },
} as const satisfies Catalogue;

test("one catalogue entry provides a filter's input, parser, qualifier, completion, chip and labels", () => {
  const input = z.object(inputsOf(MORE));
  expect(input.parse({ channel: "web", exclude: "channel:api" })).toEqual({
    channel: ["web"],
    exclude: ["channel:api"],
  });
  expect(input.parse({ channel: ["web", "api,web"] })).toEqual({ channel: ["web", "api", "web"] });
  expect(input.safeParse({ channel: "fax" }).success).toBe(false);
  const { channel, exclude } = parsersOf(MORE);
  expect([channel.parse("web,api"), channel.parse("web,fax")]).toEqual(["web,api", null]);
  expect([exclude.parse("channel:api"), exclude.parse("shape:round")]).toEqual(["channel:api", null]);
  expect(parseQuery("via:web -via:API printer", MORE)).toMatchObject({
    channel: "web",
    exclude: "channel:api",
    q: "printer",
  });
  expect(suggestionsFor("vi", {}, MORE)).toEqual([{ insert: "via:", label: "via:", hint: "web or api" }]);
  expect(suggestionsFor("via:we", {}, MORE).map((one) => complete("via:we", one))).toEqual(["via:web "]);
  const view = { ...loadView(new URLSearchParams()), channel: "web", exclude: "channel:api" };
  expect(chipsOf(view, undefined, MORE)).toMatchObject([
    { name: "Channel", value: "Web", clear: { channel: null } },
    { name: "Without channel", value: "API", clear: { exclude: null } },
  ]);
  expect([labelOf("channel", MORE), valueLabel({ name: "channel", value: "api" }, undefined, MORE)]).toEqual([
    "Channel",
    "API",
  ]);
});

test("the input and the URL have every filter of the catalogue", () => {
  for (const name of FILTER_NAMES) {
    expect(viewParsers).toHaveProperty(name);
    expect(filterShape).toHaveProperty(name);
  }
  expect(FACETS.map(([facet]) => facet).sort()).toEqual(
    FILTER_NAMES.flatMap((name) => ("facet" in FILTERS[name] ? FILTERS[name].facet : [])).sort(),
  );
});

test("URL parameters reach the list's input under the same name", async () => {
  const id = "0190a000-0000-7000-8000-000000000001";
  const example = (name: keyof typeof FILTERS) => {
    const filter = FILTERS[name];
    return "choices" in filter ? Object.keys(filter.choices)[0] : "isId" in filter ? id : "10.1.";
  };
  const address = new URLSearchParams(FILTER_NAMES.map((name): [string, string] => [name, example(name) ?? ""]));
  const input = toListInput(await loadView(address), "UTC", new Date(0));
  for (const name of FILTER_NAMES) expect([input[name]].flat()).toEqual([example(name)]);
});
