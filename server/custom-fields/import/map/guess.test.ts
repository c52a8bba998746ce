import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identifier, isPlaceholder, shortName } from "@/server/custom-fields/import/decide/placeholders";
import { freeFieldKey, namesSecret, toFieldKey, uniqueTitles } from "@/server/custom-fields/import/normalise";
import { automate } from "@/server/custom-fields/import/presets/automate";
import { guessMapping, MAX_GUESS_DISTANCE, type Target } from "./guess-mapping";
import { ColumnWatch } from "./guess-type";

const targets: Target[] = [
  { id: "sourceId", names: ["Source device ID"], aliases: automate.aliases.sourceId },
  { id: "hostname", names: ["Hostname"], aliases: automate.aliases.hostname },
  { id: "asset", names: ["Asset Tag", "asset_tag"] },
  { id: "role", names: ["Server Role", "server_role"] },
];
const preselect = (...columns: string[]) => guessMapping(columns, targets).map((g) => g.preselected);

describe("guessMapping", () => {
  it("preselects what is equal but for case, spaces, punctuation and camel case", () => {
    for (const title of ["asset tag", "AssetTag", "ASSET-TAG", " asset_tag # "])
      expect(preselect(title)).toEqual([{ target: "asset", certainty: "sure" }]);
  });

  it("preselects curated aliases", () => {
    expect(preselect("ComputerID", "Computer Name")).toEqual([
      { target: "sourceId", certainty: "sure" },
      { target: "hostname", certainty: "sure" },
    ]);
  });

  it("marks one or two typing errors as a guess, and only lists what is fuzzier", () => {
    expect(preselect("Hostnmae")).toEqual([{ target: "hostname", certainty: "guess" }]);
    const [fuzzy] = guessMapping(["Role of the server"], targets);
    expect(fuzzy).toMatchObject({ preselected: null, ranked: expect.arrayContaining(["role"]) });
    expect(fuzzy?.ranked[0]).toBe("role");
  });

  it("gives a target to the surest column alone", () => {
    expect(preselect("Aset Tag", "Asset Tag", "asset_tag")).toEqual([
      null,
      { target: "asset", certainty: "sure" },
      null,
    ]);
  });

  it("never proposes a reserved target", () => {
    const [guess] = guessMapping(["Asset Tag"], targets, new Set(["asset"]));
    expect(guess?.preselected).toBeNull();
    expect(guess?.ranked).not.toContain("asset");
  });

  it("normalises each target once, however many columns there are", () => {
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
    expect(guesses[0]?.preselected).toEqual({ target: "f900", certainty: "guess" });
    expect(read).toBe(counted.length);
  });

  it("goes up to two typing errors", () => expect(MAX_GUESS_DISTANCE).toBe(2));
});

describe("names", () => {
  it.each([
    ["AssetTag", "asset_tag"],
    ["BIOSVersion (old)", "bios_version_old"],
    ["Größe in m²", "grosse_in_m2"],
    ["2FA enabled", "field_2fa_enabled"],
    ["###", "field"],
  ])("makes the key of %j %j", (title, key) => expect(toFieldKey(title)).toBe(key));

  it("keeps keys free of collisions and well-formed for any titles", () => {
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

  it("gives no field a key that is a reserved word", () => {
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
  ])("takes %j for junk", (text) => expect(isPlaceholder(text)).toBe(true));
  it.each(["1", "11", "222", "SN0001", "DC01", "x1", "10"])("takes %j for an identifier", (text) =>
    expect(identifier(text)).toBe(text),
  );
  it("takes 2.0 for 2", () => expect(["2.0", "2.50", "2"].map(identifier)).toEqual(["2", "2.50", "2"]));
  it.each(["Admin Password", "BitlockerKey", "Alarm Code", "PIN", "API token", "WiFiPassphrase", "Kennwort 2"])(
    "takes the title %j for a secret's",
    (title) => expect(namesSecret(title)).toBe(true),
  );
  it.each(["Keyboard", "Zip Code", "Pinned", "Codename", "Monkey", "Shipping date", "Country Code"])(
    "takes the title %j for no secret's",
    (title) => expect(namesSecret(title)).toBe(false),
  );
  it("drops a host's domain but not half an address", () => {
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

  it("tells checkbox, number, date, dropdown and text from their values", () => {
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

  it("keeps what has leading zeros, or is mixed, as text", () => {
    expect(guess("007", "012", "100")?.type).toBe("text");
    expect(guess("1", "2", "x")?.type).toBe("text");
    expect(guess("2024-01-31 13:00:00")?.type).toBe("text");
    expect(guess("12,50", "1.234", "3,5", "4,5", "5,5")?.type).toBe("text");
  });

  it("keeps as text what is a number or a thousand times it, until one value tells", () => {
    const open = Array.from({ length: 9 }, (_, i) => `${i + 1}.${100 + i}`);
    expect(guess(...open)?.type).toBe("text");
    expect(guess(...open, "12.5")?.type).toBe("number");
    expect(guess("0.125", "0.250")?.type).toBe("number");
  });

  it("takes the type that nearly all values have, and tells the odd ones with their lines", () => {
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

  it("takes a column of dates with one value that is none for dates, and names that one", () => {
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
  ])("tells whether commas mark the decimals of %j: %s", (cells, decimalComma) => {
    const watch = new ColumnWatch();
    for (const cell of cells) watch.add(cell);
    expect(watch.profile(cells.length, "mdy").decimalComma).toBe(decimalComma);
  });

  it("counts what does not begin with the year where the year comes first", () => {
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

  it("finds the order of day and month, and says when it cannot", () => {
    expect(guess("1/31/2024", "2/3/2024")).toMatchObject({ type: "date", dateOrder: "mdy", dateOrderUnsure: false });
    expect(guess("31/1/2024", "2/3/2024")).toMatchObject({ type: "date", dateOrder: "dmy", dateOrderUnsure: false });
    expect(guess("1/2/2024")).toMatchObject({ type: "date", dateOrder: "mdy", dateOrderUnsure: true });
    expect(guess("1/31/2024", "31/1/2024")?.type).toBe("text");
  });
});
