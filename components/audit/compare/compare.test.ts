import { expect, test } from "vitest";
import type { Entry } from "@/components/audit/entry";
import { listedEntry } from "@/testing/listed-entry";
import { pairsOf } from "./compare-page";

test("pairs the facts of two entries, including differences and facts that only one has", () => {
  const a = listedEntry({ details: { after: { enabled: true, level: 2 }, ticket: "A-1" } });
  const b = listedEntry({
    result: "denied",
    chainSeq: 9,
    details: { after: { enabled: false, level: 2 }, device: "WS-1" },
  });
  const differing = pairsOf(a, b, String).filter(({ differs }) => differs);
  expect(differing.map(({ name }) => name)).toEqual([
    "What happened",
    "Result",
    "Sequence",
    "After › Enabled",
    "Ticket",
    "Device",
  ]);
  expect(differing.at(3)?.sides).toEqual([
    { kind: "text", text: "Yes" },
    { kind: "text", text: "No" },
  ]);
  expect(differing.at(4)?.sides).toEqual([{ kind: "text", text: "A-1" }, null]);
  expect(differing.at(5)?.sides).toEqual([null, { kind: "text", text: "WS-1" }]);
});

test("an entry equals itself", () => {
  expect(pairsOf(listedEntry({}), listedEntry({}), String).some(({ differs }) => differs)).toBe(false);
});

test("entries of two organizations differ in their organization", () => {
  const pairs = pairsOf(listedEntry({ orgId: "1" }), listedEntry({ orgId: "2" }), (id) => `Organization ${id}`);
  expect(pairs.filter(({ differs }) => differs).map(({ sides }) => sides)).toEqual([
    [
      { kind: "text", text: "Organization 1" },
      { kind: "text", text: "Organization 2" },
    ],
  ]);
});

const numbers = (last: number) => [...Array.from({ length: 50 }, (_, n) => n), last];
const objects = (last: number) => numbers(last).map((n) => ({ n }));

test.for<[string, Entry["details"], Entry["details"], string]>([
  ["lists of numbers", { list: numbers(50) }, { list: numbers(51) }, "List"],
  ["lists of objects", { list: objects(50) }, { list: objects(51) }, "List › More"],
  ["nothing and an empty list", { list: null }, { list: [] }, "List"],
  ["null and the word None", { list: null }, { list: "None" }, "List"],
])("%s that read the same but differ are shown as recorded", ([_, one, two, name]) => {
  const differing = pairsOf(listedEntry({ details: one }), listedEntry({ details: two }), String).filter(
    ({ differs }) => differs,
  );
  expect(differing).toMatchObject([{ name, sides: [{ kind: "code" }, { kind: "code" }] }]);
  const [left, right] = differing[0]?.sides ?? [];
  expect(left).not.toEqual(right);
});

test("the order of members is no difference", () => {
  const deep = (value: object) => listedEntry({ details: { a: { b: { c: { d: { e: value } } } } } });
  const pairs = pairsOf(deep({ one: 1, two: 2 }), deep({ two: 2, one: 1 }), String);
  expect(pairs.some(({ differs }) => differs)).toBe(false);
});
