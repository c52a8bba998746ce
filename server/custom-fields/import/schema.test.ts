import { describe, expect, it } from "vitest";
import { hasWrite, VALUE_CODES, VALUE_OUTCOMES, type ValueOutcome, withoutDevice } from "./schema";

const codesOf = (...outcomes: ValueOutcome[]) => outcomes.map((outcome) => VALUE_CODES[outcome]).join("");

describe("the codes of a row", () => {
  it("write where any value is set, overwritten or cleared", () => {
    const writing = VALUE_OUTCOMES.filter((outcome) => hasWrite(codesOf("empty", outcome, "none")));
    expect(writing).toEqual(["set", "overwrite", "clear"]);
    expect(hasWrite("")).toBe(false);
  });

  it("keep without a device what is said of the cells alone", () =>
    expect(withoutDevice(codesOf(...VALUE_OUTCOMES))).toBe(
      codesOf("none", "none", "none", "none", "none", "invalid", "left_out", "empty", "none"),
    ));

  it("differ by outcome", () => expect(new Set(Object.values(VALUE_CODES)).size).toBe(VALUE_OUTCOMES.length));
});
