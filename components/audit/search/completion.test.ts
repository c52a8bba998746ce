import { expect, test } from "vitest";
import { complete, lastWord, suggestionsFor, typedValue } from "./completion";

const known = {
  actor: [
    { value: "Jane Doe", hint: "214" },
    { value: "nightly backup", hint: "12" },
  ],
};
const labels = (typed: string) => suggestionsFor(typed, known).map((s) => s.label);

test("an empty box suggests every qualifier, a prefix the matching ones", () => {
  expect(labels("")).toContain("device:");
  expect(labels("printer act")).toEqual(["actor:", "action:"]);
  expect(labels("-")).toEqual(["-action:"]);
  expect(labels("printer")).toEqual([]);
});

test("a qualifier suggests its choices or values from the log", () => {
  expect(labels("result:")).toEqual(["success", "failure", "denied"]);
  expect(labels("-result:d")).toEqual(["denied"]);
  expect(labels("result:denied")).toEqual([]);
  expect(labels("actor:ja")).toEqual(["Jane Doe"]);
  expect(labels('actor:"nightly b')).toEqual(["nightly backup"]);
  expect(labels("odd:")).toEqual([]);
});

test("a suggestion replaces the last word, with quotes around a phrase", () => {
  const [jane] = suggestionsFor("result:denied actor:j", known);
  expect(jane && complete("result:denied actor:j", jane)).toBe('result:denied actor:"Jane Doe" ');
  expect(lastWord('result:denied actor:"Jane D')).toBe('actor:"Jane D');
  expect(typedValue("-action:dev")).toEqual({ minus: "-", qualifier: "action", part: "dev" });
});
