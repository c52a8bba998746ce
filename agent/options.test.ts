import { describe, expect, it } from "vitest";
import { parseOptions, UsageError } from "./options";

describe("parseOptions", () => {
  it("parses options and trims the URL", () => {
    expect(parseOptions(["--url", "http://127.0.0.1:3000/", "--enrollment-key", "tme_x", "--once"])).toMatchObject({
      url: "http://127.0.0.1:3000",
      enrollmentKey: "tme_x",
      once: true,
      interval: 120,
    });
  });

  it("explains invalid options", () => {
    for (const args of [
      ["--url", "ftp://x"],
      ["--url", "nonsense"],
      ["--interval", "0"],
      ["--interval", "soon"],
      ["--unknown"],
      ["--source-system", "automate"],
    ])
      expect(() => parseOptions(args)).toThrow(UsageError);
  });
});
