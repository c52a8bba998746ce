import { expect, test } from "vitest";
import { loadView, toListInput, viewParsers } from "@/components/audit/state/view";
import { FILTER_NAMES, FILTERS } from "@/server/audit/query/catalogue";
import { filterShape } from "@/server/audit/schema";
import { FACETS } from "./facets-query";

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
