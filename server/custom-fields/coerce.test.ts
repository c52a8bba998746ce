import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coerceText, coerceValue } from "./coerce";
import { type DateOrder, FIELD_TYPES, type FieldType } from "./schema";

const rule = (type: FieldType, options: string[] | null = null) => ({ type, options });
const read = (type: FieldType, text: string, order?: DateOrder) => {
  const result = coerceText(rule(type, ["Server", "Laptop"]), text, order ? { dateOrder: order } : {});
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
    ["number", "1,234", "! may be 1234 or 1.234: write it without the comma"],
    ["number", "999,00", 999],
    ["number", "0,125", 0.125],
    ["number", "1.234,56", 1234.56],
    ["number", "1,234.56", 1234.56],
    ["number", "1.234.567", 1234567],
    ["number", "1,234,567", 1234567],
    ["number", "1\u00a0234,5", 1234.5],
    ["number", "1'234", 1234],
    ["number", "1.23.4", "! is not a number (digits with at most one decimal point or comma)"],
    ["number", "0x10", "! is not a number (digits with at most one decimal point or comma)"],
    ["number", "1e5", "! is not a number (digits with at most one decimal point or comma)"],
    ["boolean", "WAHR", true],
    ["boolean", "Falsch", false],
    ["boolean", "non", false],
    ["number", "12345678901234567", "! has more than 15 digits"],
    ["dropdown", "Server", "Server"],
    ["dropdown", "server", "Server"],
    ["dropdown", "Tablet", "! is not one of the field's choices"],
    ["text", "hello", "hello"],
    ["date", "2024-02-29", "2024-02-29"],
    ["date", "2023-02-29", "! is not a valid date"],
    ["date", "2024-05-01 00:00:00", "2024-05-01"],
    ["date", "2024-05-01 13:22:11", "2024-05-01"],
    ["date", "2026-04-15T00:00:00+02:00", "2026-04-15"],
    ["date", "4/15/2026 2:30 PM", "! does not begin with the year"],
    ["date", "24-05-01", "2024-05-01"],
    ["date", "15-Apr-2026", "2026-04-15"],
    ["date", "15. März 2026", "2026-03-15"],
    ["date", "Apr 15, 2026", "2026-04-15"],
    ["date", "15 avr. 2026", "2026-04-15"],
    ["date", "15-Foo-2026", "! is not a date"],
    ["date", "31-Apr-2026", "! is not a valid date"],
    ["date", "soon", "! is not a date"],
  ] as const)("reads %s %j as %j", (type, text, expected) => {
    expect(read(type, text)).toBe(expected);
  });

  it("reads a date in the column's day and month order", () => {
    expect(read("date", "3/4/2024 12:00:00 AM", "mdy")).toBe("2024-03-04");
    expect(read("date", "3/4/2024", "dmy")).toBe("2024-04-03");
    expect(read("date", "31.12.2024", "dmy")).toBe("2024-12-31");
    expect(read("date", "31.12.2024", "mdy")).toBe("! is not a valid date");
    expect(read("date", "2024/3/4", "mdy")).toBe("2024-03-04");
    expect(read("date", "2024/3/4", "ymd")).toBe("2024-03-04");
    expect(read("date", "03/04/2024", "ymd")).toBe("! does not begin with the year");
    expect(read("date", "3/4/24", "mdy")).toBe("2024-03-04");
    expect(read("date", "31.12.69", "dmy")).toBe("2069-12-31");
    expect(read("date", "31.12.70", "dmy")).toBe("1970-12-31");
    expect(read("date", "15-Apr-26", "mdy")).toBe("2026-04-15");
    expect(read("date", "4/15/2026 2:30 PM", "mdy")).toBe("2026-04-15");
  });

  it("never throws, and every accepted value passes validation unchanged", () => {
    fc.assert(
      fc.property(fc.constantFrom(...FIELD_TYPES), fc.string({ unit: "binary", maxLength: 40 }), (type, text) => {
        const result = coerceText(rule(type, ["a", "b"]), text);
        if (result.ok) expect(coerceValue(rule(type, ["a", "b"]), result.value)).toEqual(result);
      }),
      { numRuns: 1000 },
    );
  });

  it("reads any number and date that it can write", () => {
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
