import fc from "fast-check";
import { expect, test } from "vitest";
import { joinValues, splitValues } from "./values";

test("splits values at commas and keeps quoted commas", () => {
  expect(splitValues("failure, denied")).toEqual(["failure", "denied"]);
  expect(splitValues(',"Doe, Jane",,bob')).toEqual(["Doe, Jane", "bob"]);
  expect(splitValues('"half')).toEqual(['"half']);
  expect(splitValues("")).toEqual([]);
});

test("any values survive joining and splitting", () => {
  const value = fc.string({ minLength: 1 }).filter((text) => text.trim() !== "");
  fc.assert(
    fc.property(fc.uniqueArray(value), (values) => {
      expect(splitValues(joinValues(values))).toEqual(values);
    }),
  );
});
