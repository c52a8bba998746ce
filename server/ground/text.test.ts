import { describe, expect, it } from "vitest";
import { containsPattern, counted, inOneLine, isOneLine, repairJson, repairText, toSlug } from "./text";

describe("repairText", () => {
  it("replaces NUL and lone surrogates with U+FFFD and keeps pairs", () => {
    expect(repairText("a\0b")).toBe("a\ufffdb");
    expect(repairText("x\ud800y\udc00")).toBe("x\ufffdy\ufffd");
    expect(repairText("\u{1f600} fine")).toBe("\u{1f600} fine");
  });
});

it("uses singular and plural forms", () => {
  const chains = (n: number) => counted(n, "chain was found", "chains were found");
  expect([chains(0), chains(1), chains(2)]).toEqual([
    "0 chains were found",
    "1 chain was found",
    "2 chains were found",
  ]);
});

describe("single-line text", () => {
  it.each(["a\nb", "a\r\nb", "a\tb", "a\u0085b", "a\u2028b", "a\u2029b", "a\x1bb", "a\x7fb"])("excludes %j", (text) => {
    expect(isOneLine(text)).toBe(false);
    expect(inOneLine(text)).toBe("a b");
  });

  it.each(["", "Müller & Söhne", "عربي", "漢字 😀", "a\u00a0b", "👩\u200d🔧"])(
    "includes %j and leaves it unchanged",
    (text) => {
      expect(isOneLine(text)).toBe(true);
      expect(inOneLine(text)).toBe(text);
    },
  );
});

describe("repairJson", () => {
  it("repairs keys and values at every depth", () => {
    expect(repairJson({ "k\0": [{ deep: "v\ud800" }], n: 1, nil: null })).toEqual({
      "k\ufffd": [{ deep: "v\ufffd" }],
      n: 1,
      nil: null,
    });
  });

  it("returns clean values without copying", () => {
    const clean = { a: ["b", { c: 1 }] };
    expect(repairJson(clean)).toBe(clean);
  });
});

describe("containsPattern", () => {
  it("escapes wildcards and the escape character", () => {
    expect(containsPattern("50%_\\")).toBe("%50\\%\\_\\\\%");
  });
});

it.each([
  ["Contoso Ltd.", "contoso-ltd"],
  ["  Café Zürich & Söhne ", "cafe-zurich-sohne"],
  ["日本", "organization"],
  ["x".repeat(200), "x".repeat(60)],
])("converts %j to %j", (name, slug) => {
  expect(toSlug(name)).toBe(slug);
});
