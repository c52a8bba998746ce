import fc from "fast-check";
import { expect, test } from "vitest";
import { joinValues, splitValues } from "./values";

test("values are separated by commas, and quotes keep a value's own", () => {
  expect(splitValues("failure, denied")).toEqual(["failure", "denied"]);
  expect(splitValues(',"Doe, Jane",,bob')).toEqual(["Doe, Jane", "bob"]);
  expect(splitValues('"half')).toEqual(['"half']);
  expect(splitValues("")).toEqual([]);
});

test("any values come back as they were", () => {
  const value = fc.string({ minLength: 1 }).filter((text) => text.trim() !== "");
  fc.assert(
    fc.property(fc.uniqueArray(value), (values) => {
      expect(splitValues(joinValues(values))).toEqual(values);
    }),
  );
});
