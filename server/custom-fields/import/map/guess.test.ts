import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identifier, isPlaceholder, shortName } from "@/server/custom-fields/import/decide/placeholders";
import { namesSecret, uniqueTitles } from "@/server/custom-fields/import/normalise";
import { freeFieldKey, toFieldKey } from "@/server/custom-fields/schema";
import { TARGETS } from "@/testing/import/reader";
import { guessMapping, type Target } from "./guess-mapping";
import { ColumnWatch } from "./guess-type";

const preselect = (...columns: string[]) => guessMapping(columns, TARGETS);

describe("guessMapping", () => {
  it("preselects names that differ only in case, spaces, punctuation or camel case", () => {
    for (const title of ["asset tag", "AssetTag", "ASSET-TAG", " asset_tag # "])
      expect(preselect(title)).toEqual([{ target: "asset", certainty: "sure" }]);
  });

  it("preselects curated aliases", () => {
    expect(preselect("ComputerID", "Computer Name")).toEqual([
      { target: "sourceId", certainty: "sure" },
      { target: "hostname", certainty: "sure" },
    ]);
  });

  it("marks one or two typos as a guess, and preselects no weaker match", () => {
    expect(preselect("Hostnmae")).toEqual([{ target: "hostname", certainty: "guess" }]);
    expect(preselect("Hostnmea")).toEqual([{ target: "hostname", certainty: "guess" }]);
    expect(preselect("Hstnmae")).toEqual([null]);
    expect(preselect("Role of the server")).toEqual([null]);
  });

  it("assigns a target to the best matching column only", () => {
    expect(preselect("Aset Tag", "Asset Tag", "asset_tag")).toEqual([
      null,
      { target: "asset", certainty: "sure" },
      null,
    ]);
  });

  it("normalizes each target once for any number of columns", () => {
    let read = 0;
    const counted = Array.from({ length: 1000 }, (_, i): Target => {
      const names = [`Field number ${i}`, `field_number_${i}`];
      const get = () => {
        read++;
        return names;
      };
      return Object.defineProperty({ id: `f${i}`, names }, "names", { get });
    });
    const columns = Array.from({ length: 300 }, (_, i) => `Field number ${i + 900}x`);
    const guesses = guessMapping(columns, counted);
    expect(guesses[0]).toEqual({ target: "f900", certainty: "guess" });
    expect(read).toBe(counted.length);
  });
});

describe("names and identifiers", () => {
  it.each([
    ["AssetTag", "asset_tag"],
    ["BIOSVersion (old)", "bios_version_old"],
    ["Größe in m²", "grosse_in_m2"],
    ["2FA enabled", "field_2fa_enabled"],
    ["###", "field"],
  ])("converts the title %j to the key %j", (title, key) => expect(toFieldKey(title)).toBe(key));

  it("creates unique, valid keys for any titles", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 130 }), { maxLength: 30 }), (titles) => {
        const taken = new Set<string>();
        const keys = titles.map((title) => freeFieldKey(title, taken));
        expect(new Set(keys).size).toBe(keys.length);
        for (const key of keys) expect(key).toMatch(/^[a-z][a-z0-9_]{0,99}$/);
        expect(new Set(uniqueTitles(titles).map((t) => t.toLowerCase())).size).toBe(titles.length);
      }),
      { numRuns: 500 },
    );
  });

  it("never uses a reserved word as a key", () => {
    const taken = new Set<string>();
    expect(["Id", "ID", "Identity"].map((title) => freeFieldKey(title, taken))).toEqual(["id_2", "id_3", "identity"]);
  });

  it.each([
    "default string",
    "To Be Filled By O.E.M.",
    "0000000",
    "00000000-0000-0000-0000-000000000000",
    " ",
    "N/A",
    "xxxx",
    "localhost",
    "To-Be-Filled-By-O.E.M",
    "TO BE FILLED BY OEM (board)",
    "System_Serial_Number",
    "Not Specified.",
    "-1",
    "-12.5",
    "0.0",
    "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    "11111111",
    "03000200-0400-0500-0006-000700080009",
  ])("treats %j as a placeholder", (text) => expect(isPlaceholder(text)).toBe(true));
  it.each(["1", "11", "222", "SN0001", "DC01", "x1", "10"])("treats %j as an identifier", (text) =>
    expect(identifier(text)).toBe(text),
  );
  it("treats 2.0 as 2", () => expect(["2.0", "2.50", "2"].map(identifier)).toEqual(["2", "2.50", "2"]));
  it.each(["Admin Password", "BitlockerKey", "Alarm Code", "PIN", "API token", "WiFiPassphrase", "Kennwort 2"])(
    "treats the title %j as a secret",
    (title) => expect(namesSecret(title)).toBe(true),
  );
  it.each(["Keyboard", "Zip Code", "Pinned", "Codename", "Monkey", "Shipping date", "Country Code"])(
    "does not treat the title %j as a secret",
    (title) => expect(namesSecret(title)).toBe(false),
  );
  it("removes a host's domain but keeps IP addresses", () => {
    expect(shortName("PC1.Corp.Local")).toBe("pc1");
    expect(shortName("10.0.0.1")).toBe("10.0.0.1");
  });
});

describe("ColumnWatch", () => {
  const guess = (...cells: string[]) => {
    const watch = new ColumnWatch();
    for (const cell of cells) watch.add(cell);
    return watch.profile(cells.length, "mdy").guess;
  };
  const many = (...cells: string[]) => Array.from({ length: 6 }, () => cells).flat();

  it("detects checkbox, number, date, dropdown and text", () => {
    expect(guess("0", "1", "", "1")?.type).toBe("boolean");
    expect(guess("2", "14", "3.5")?.type).toBe("number");
    expect(guess("2024-01-31", "2023-05-01")?.type).toBe("date");
    expect(guess(...many("Server", "Laptop", "Desktop"))).toMatchObject({
      type: "dropdown",
      options: ["Desktop", "Laptop", "Server"],
    });
    expect(guess("one", "two", "three")?.type).toBe("text");
    expect(guess("", "")).toBeNull();
  });

  it("treats leading zeros and mixed values as text", () => {
    expect(guess("007", "012", "100")?.type).toBe("text");
    expect(guess("1", "2", "x")?.type).toBe("text");
    expect(guess("2024-01-31 13:00:00")?.type).toBe("text");
    expect(guess("12,50", "1.234", "3,5", "4,5", "5,5")?.type).toBe("text");
  });

  it("treats ambiguous thousands separators as text until one value decides", () => {
    const open = Array.from({ length: 9 }, (_, i) => `${i + 1}.${100 + i}`);
    expect(guess(...open)?.type).toBe("text");
    expect(guess(...open, "12.5")?.type).toBe("number");
    expect(guess("0.125", "0.250")?.type).toBe("number");
  });

  it("uses the type of nearly all values and reports exceptions with line numbers", () => {
    const watch = new ColumnWatch();
    for (let i = 1; i <= 23; i++) watch.add(`${1 + (i % 12)}/${1 + i}/2026`, i + 1);
    watch.add("2/30/2027", 31);
    const { guess: found, misfits, filled } = watch.profile(24, "mdy");
    expect(found).toMatchObject({ type: "date", dateOrder: "mdy" });
    expect(filled).toBe(24);
    expect(misfits.mdy).toEqual({ count: 1, odd: [{ text: "2/30/2027", line: 31 }] });
    expect(guess(...many("0", "1"), "maybe")?.type).toBe("boolean");
    expect(guess(...many("2", "14"), "1,5")?.type).toBe("number");
    expect(guess(...many("1", "1", "1", "0", "1", "1"), "2", "2")?.type).toBe("number");
    expect(guess("1", "2", "3", "x", "y")?.type).toBe("text");
  });

  it("detects a date column despite one invalid value, and names that value", () => {
    const watch = new ColumnWatch();
    for (const [i, cell] of ["2027-12-31", "31/12/2027", "not a date"].entries()) watch.add(cell, i + 2);
    const { guess: found, misfits } = watch.profile(3, "mdy");
    expect(found).toMatchObject({ type: "date", dateOrder: "dmy", dateOrderUnsure: false });
    expect(misfits.dmy).toEqual({ count: 1, odd: [{ text: "not a date", line: 4 }] });
    expect(guess("15-Apr-2026", "1. Mai 2026")).toMatchObject({ type: "date", dateOrderUnsure: false });
    expect(guess("WAHR", "FALSCH", "WAHR")?.type).toBe("boolean");
    expect(guess("1.234,56", "999,00")?.type).toBe("number");
  });

  it.each([
    [["12,50", "1.234"], true],
    [["12,50", "1.5"], false],
    [["1,234,567", "1.234"], false],
    [["1.234", "5"], false],
  ])("detects decimal commas in %j: %s", (cells, decimalComma) => {
    const watch = new ColumnWatch();
    for (const cell of cells) watch.add(cell);
    expect(watch.profile(cells.length, "mdy").decimalComma).toBe(decimalComma);
  });

  it("counts dates that do not start with the year in a year-first column", () => {
    const watch = new ColumnWatch();
    for (const [i, cell] of ["2024-01-31", "2024-02-30", "1/2/2024"].entries()) watch.add(cell, i + 2);
    const { misfits, guess: found } = watch.profile(3, "ymd");
    expect(misfits.ymd).toEqual({
      count: 2,
      odd: [
        { text: "2024-02-30", line: 3 },
        { text: "1/2/2024", line: 4 },
      ],
    });
    expect(found?.dateOrder === "ymd" && found.type === "date").toBe(false);
    expect(guess("2024-01-31", "2024-02-01")).toMatchObject({ type: "date", dateOrder: "ymd", dateOrderUnsure: false });
  });

  it("detects the order of day and month, and says when it cannot", () => {
    expect(guess("1/31/2024", "2/3/2024")).toMatchObject({ type: "date", dateOrder: "mdy", dateOrderUnsure: false });
    expect(guess("31/1/2024", "2/3/2024")).toMatchObject({ type: "date", dateOrder: "dmy", dateOrderUnsure: false });
    expect(guess("1/2/2024")).toMatchObject({ type: "date", dateOrder: "mdy", dateOrderUnsure: true });
    expect(guess("1/31/2024", "31/1/2024")?.type).toBe("text");
  });
});
