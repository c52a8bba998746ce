import fc from "fast-check";
import { expect, it } from "vitest";
import { parseExact, parsePlain, plainNumbers, readExact, writeExact } from "./exact-json";

const through = (text: string): string => writeExact(JSON.stringify(parseExact(text)));

it.each([
  '{"q":9007199254740993}',
  '{"m":12345678901234567890,"n":[1.10,0.10,{"o":-3.1400}]}',
  '{"text":"9007199254740993, 1.10 and 1e400","a":1.0}',
  '{"escaped \\"1.10":1.10}',
  "1.0",
  '{"n":12345678901234567.5}',
  `{"n":${"1".repeat(60)}}`,
  `{"n":${"1".repeat(60)}.50}`,
  `{"n":0.${"1".repeat(60)}}`,
  `{"n":1.${"0".repeat(60)}}`,
])("%s survives a round trip", (text) => {
  expect(through(text)).toBe(text);
});

it.each([
  ['{"a":{"b":[1,{"c":1e400}]}}', "a.b.1.c"],
  ['{"a":1,"b":1E5}', "b"],
  ['{"a":1e-7}', "a"],
  ['{"a":[1,1e+21]}', "a.1"],
  ['{"x":{"y":1},"z":[0,0,-0]}', "z.2"],
  [`{"long":1${"0".repeat(1_001)}}`, "long"],
])("rejects %s at %s", (text, path) => {
  expect(() => parseExact(text)).toThrow(expect.objectContaining({ code: "validation_failed" }));
  expect(() => parseExact(text)).toThrow(`${path}: `);
});

it.each([
  "1.0",
  "-1.50",
  "1e5",
  "1E+5",
  "15e-1",
  "0.30000000000000004",
  "0.10000000000000001",
  "-3.1400000000000001",
  "2.2250738585072014e-308",
  "-0",
  "0.000",
  "1e300",
  "[5e-324,2.5]",
  '{"a":"1e400"}',
])("reads %s as a double", (text) => {
  expect(parsePlain(text)).toEqual(JSON.parse(text));
});

it.each(["1e400", "-1e400", "1e-400", "9007199254740993", "0.1000000000000000055", "1.7976931348623159e308"])(
  "keeps the digits of %s",
  (digits) => {
    expect(parsePlain(`{"a":[0,{"b":${digits}}]}`)).toEqual({ a: [0, { b: digits }] });
  },
);

it("keeps doubles from JSON.stringify and fractions of the same precision as numbers", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => {
      const same = Number(parsePlain(JSON.stringify(n))) === n;
      return same && (Number.isInteger(n) || Number(parsePlain(n.toPrecision(17))) === n);
    }),
  );
});

it("keeps the digits of any decimal number and the surrounding text", () => {
  const decimal = fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,20})?$/).filter((d) => !/^-0(\.0*)?$/.test(d));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: "grapheme" }), decimal), { maxLength: 8 }), (members) => {
      const text = `[${members.map(([name, digits]) => `{${JSON.stringify(`n${name}`)}:${digits}}`).join(",")}]`;
      expect(through(text)).toBe(text);
      expect(writeExact(JSON.stringify(readExact(text)))).toBe(text);
    }),
  );
});

it("keeps exact numbers with any whitespace and neighbors", () => {
  const blank = fc.stringMatching(/^[ \n\r\t]{0,3}$/);
  const number = fc.stringMatching(/^-?([1-9]\d{0,20}|0\.\d{1,4}|[1-9]\d{0,3}\.\d{1,3})$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(blank, number, blank), { minLength: 1, maxLength: 6 }), (members) => {
      const text = `[${members.map((member) => member.join("")).join(",")}]`;
      const isZero = members.some(([, digits]) => Number(digits) === 0 && digits.startsWith("-"));
      fc.pre(!isZero);
      expect(through(text)).toBe(text.replace(/\s/g, ""));
    }),
  );
});

it("parses more digits than V8's regular expression stack can hold", () => {
  const text = `{"text":":${"1".repeat(6_000_000)}","n":1.10}`;
  expect(through(text) === text).toBe(true);
});

it("plainNumbers converts to doubles unless that changes digits", () => {
  expect(plainNumbers(readExact('{"a":[1.10,"x"],"b":{"c":9007199254740993}}'))).toEqual({
    a: [1.1, "x"],
    b: { c: "9007199254740993" },
  });
  const value = { a: [1, "x", null], b: {} };
  expect(plainNumbers(value)).toBe(value);
});

it("keeps text that looks like an encoded number", () => {
  const text = '{"a":"number 000000000000000000000000 5","b":1.0}';
  expect(through(text)).toBe(text);
});

it("parsePlain returns digits for numbers outside double precision", () => {
  const text =
    '{"a":9007199254740993,"b":[0.1000000000000000055,1e400,-1e-400,1.50,1e3,-0,7],"1e400":"9007199254740993"}';
  expect(parsePlain(text)).toEqual({
    a: "9007199254740993",
    b: ["0.1000000000000000055", "1e400", "-1e-400", 1.5, 1000, -0, 7],
    "1e400": "9007199254740993",
  });
  expect(() => parsePlain('{"a":01}')).toThrow(SyntaxError);
});
