/** Values that no ordinary client sends, by kind; every string has broken some software before. */
export const BAD_TEXTS: Record<string, string> = {
  empty: "",
  blank: "   ",
  nul: "a\0b",
  loneHigh: "a\ud800b",
  loneLow: "\udfff",
  halves: "\udc00\ud800",
  astral: "😀".repeat(60),
  bidi: "\u202Egnp.exe\u2066x",
  zeroWidth: "\u200b\ufeff\u00ad",
  combining: `z${"\u0301".repeat(200)}`,
  noncharacter: "\uffff\ufffe",
  crlf: "a\r\nSet-Cookie: x=1\r\n\r\n",
  control: "\u0001\u0007\u001b[31m\u007f\u0085",
  quoteSql: "'; DROP TABLE audit_logs; --",
  orSql: "' OR '1'='1",
  dollarSql: "$$; COMMIT; $1",
  wildcards: "%_%_%_%_%_%_\\%_",
  backslash: "\\",
  proto: "__proto__",
  constructorName: "constructor",
  template: "{{7*7}}<%= 7 %>#{7*7}",
  script: "<script>alert(1)</script>",
  formula: '=HYPERLINK("http://x","y")',
  path: "../../../../etc/passwd",
  format: "%s%n%x%d",
  arrayText: "{1,2,{3}}",
  rangeText: "[1,2)",
  jsonText: '{"a":1}',
  nullText: "null",
  zeroDate: "0000-00-00T00:00:00Z",
  leapSecond: "2016-12-31T23:59:60Z",
  noLeapDay: "2025-02-29T00:00:00Z",
  farDate: "+275760-09-13T00:00:00Z",
  bigOffset: "2026-01-01T00:00:00+23:59",
  oldDate: "0001-01-01T00:00:00Z",
  lastDate: "9999-12-31T23:59:59.999999999Z",
  infinityDate: "infinity",
  uuidAlmost: "00000000-0000-0000-0000-00000000000g",
  nilUuid: "00000000-0000-0000-0000-000000000000",
  upperUuid: "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
  hugeDigits: "9".repeat(40),
  bigint: "9223372036854775808",
  maxSafe: "9007199254740993",
  negative: "-1",
  exponent: "1e308",
  notANumber: "NaN",
  long: "x".repeat(10_240),
  longAstral: "𝄞".repeat(5_120),
  longWildcards: "%_".repeat(125),
};

const nested = (depth: number): unknown => {
  let value: unknown = "deep";
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value };
  return value;
};

/** An object with an own member possible in JSON but not in object literals. */
export function withOwn(target: Record<string, unknown>, key: string, value: unknown): Record<string, unknown> {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  return target;
}

/** Bad values other than text. */
export const BAD_VALUES: Record<string, unknown> = {
  nothing: null,
  yes: true,
  no: false,
  zero: 0,
  minusZero: -0,
  fraction: 0.1,
  minus: -1,
  huge: 1e308,
  tiny: 5e-324,
  overInt32: 2_147_483_648,
  overSafe: 2 ** 53,
  overInt64: 2 ** 63,
  emptyList: [],
  listOfNull: [null],
  manyItems: Array.from({ length: 600 }, () => 1),
  emptyObject: {},
  badKeys: { "": 1, "\0": 2, "a\ud800": 3, "%_": 4, $ne: 5, "a.b": 6 },
  protoKey: withOwn({}, "__proto__", { polluted: true }),
  constructorKey: { constructor: { prototype: { polluted: true } } },
  deep30: nested(30),
  deep40: nested(40),
  numberObject: { a: -0, b: 1.7976931348623157e308, c: 1e-300 },
};

const utf8 = (text: string) => new TextEncoder().encode(text);

/** Bodies that are not JSON objects, or barely. */
export const BAD_BODIES: Record<string, Uint8Array> = Object.fromEntries(
  Object.entries({
    empty: "",
    space: "  ",
    null: "null",
    list: "[]",
    text: '"text"',
    number: "1",
    open: "{",
    trailing: "{}{}",
    comma: '{"a":1,}',
    notANumber: '{"a":NaN}',
    mark: "\ufeff{}",
    twice: '{"name":"a","name":"b"}',
    infinite: '{"retentionDays":1e999,"limit":-1e999}',
    proto: '{"__proto__":{"polluted":true}}',
    deepList: "[".repeat(100_000),
    deepObject: `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`,
    manyKeys: `{${Array.from({ length: 3000 }, (_, i) => `"k${i}":${i}`).join(",")}}`,
    halfPair: '{"name":"\\ud800"}',
    nul: '{"name":"\\u0000"}',
  }).map(([name, text]) => [name, utf8(text)]),
);
BAD_BODIES.invalidUtf8 = new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0xc0, 0x22, 0x7d]);
BAD_BODIES.utf16 = new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]);

/** Raw query strings that no encoder produces. */
export const BAD_QUERIES = [
  "&&=&",
  "%00=%00",
  "%zz=%",
  "q=%ED%A0%80",
  "q=%ff%fe",
  "limit=1&limit=2",
  "limit[]=1&page[$gt]=1",
  "__proto__=1&constructor=2",
  "page=1000000000&limit=100",
  "page=0x10&limit=1e1",
  "page=%2B1&limit=%201",
  "page=999999999999999&limit=1",
  "from=2026-01-01&to=tomorrow",
  "from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z",
  "cursor=%00&page=1",
  "cursor=bm90IGEgY3Vyc29y",
  "cursor=eyJ0IjoiMjAyNi0wMS0wMVQwMDowMDowMFoiLCJzIjo5OTk5OTk5OTk5OTk5OTk5OTk5fQ",
  `q=${"%25_".repeat(60)}`,
  `x=${"y".repeat(8000)}`,
];
