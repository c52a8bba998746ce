import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coerceText, coerceValue } from "./coerce";
import { type DateOrder, FIELD_TYPES, type FieldType } from "./schema";

const rule = (type: FieldType, options: string[] | null = null) => ({ type, options });
const read = (type: FieldType, text: string, order?: DateOrder) => {
  const result = coerceText(rule(type, ["Server", "Laptop"]), text, order);
  return result.ok ? result.value : `! ${result.reason}`;
};

describe("coerceText", () => {
  it.each([
    ["boolean", "1", true],
    ["boolean", "0", false],
    ["boolean", "Yes", true],
    ["boolean", "2", "! is neither yes nor no"],
    ["number", "12", 12],
    ["number", "-0.50", -0.5],
    ["number", "-0", 0],
    ["number", "1,234", "! is not a plain number (digits with at most one decimal point)"],
    ["number", "0x10", "! is not a plain number (digits with at most one decimal point)"],
    ["number", "1e5", "! is not a plain number (digits with at most one decimal point)"],
    ["number", "12345678901234567", "! has more than 15 digits"],
    ["dropdown", "Server", "Server"],
    ["dropdown", "server", "Server"],
    ["dropdown", "Tablet", "! is not one of the field's choices"],
    ["text", "hello", "hello"],
    ["date", "2024-02-29", "2024-02-29"],
    ["date", "2023-02-29", "! is not a valid date"],
    ["date", "2024-05-01 00:00:00", "2024-05-01"],
    ["date", "2024-05-01 13:22:11", "! is not a date without a time of day"],
    ["date", "24-05-01", "! has no year of four digits"],
  ] as const)("reads %s %j as %j", (type, text, expected) => {
    expect(read(type, text)).toBe(expected);
  });

  it("reads a date in the order that the column has", () => {
    expect(read("date", "3/4/2024 12:00:00 AM", "mdy")).toBe("2024-03-04");
    expect(read("date", "3/4/2024", "dmy")).toBe("2024-04-03");
    expect(read("date", "31.12.2024", "dmy")).toBe("2024-12-31");
    expect(read("date", "31.12.2024", "mdy")).toBe("! is not a valid date");
    expect(read("date", "2024/3/4", "mdy")).toBe("2024-03-04");
    expect(read("date", "2024/3/4", "ymd")).toBe("2024-03-04");
    expect(read("date", "03/04/2024", "ymd")).toBe("! does not begin with the year");
  });

  it("never throws, and what it lets through the validator lets through unchanged", () => {
    fc.assert(
      fc.property(fc.constantFrom(...FIELD_TYPES), fc.string({ unit: "binary", maxLength: 40 }), (type, text) => {
        const result = coerceText(rule(type, ["a", "b"]), text);
        if (result.ok) expect(coerceValue(rule(type, ["a", "b"]), result.value)).toEqual(result);
      }),
      { numRuns: 1000 },
    );
  });

  it("reads back every number and date that it could have written", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (n) => read("number", String(n)) === n + 0),
      { numRuns: 2000 },
    );
    const date = fc.date({ min: new Date("0001-01-02"), max: new Date("9999-12-30"), noInvalidDate: true });
    fc.assert(
      fc.property(date, (d) => read("date", d.toISOString().slice(0, 10)) === d.toISOString().slice(0, 10)),
      { numRuns: 2000 },
    );
  });
});
