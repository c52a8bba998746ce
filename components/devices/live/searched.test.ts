import { expect, it } from "vitest";
import { recordCountText, searchedText, totalText } from "./use-live-query";

const at = (iso: string) => iso.slice(0, 10);
const part = (searched: Parameters<typeof searchedText>[0]["searched"], hasEnd = false) =>
  searchedText({ log: "journal", searched, hasEnd, at });

it("describes the searched part as the log or as far as the device looked", () => {
  expect(part(undefined)).toBe("journal");
  expect(part({ matches: 100_000 })).toBe("journal");
  expect(part({ entries: 100_000 })).toBe("the newest 100,000 entries of journal");
  expect(part({ entries: 100_000 }, true)).toBe("the newest 100,000 entries of journal before the chosen end");
  expect(part({ bytes: 33_554_432 })).toBe("the newest 34 MB of journal");
  expect(part({ from: "2026-11-20T10:00:00Z" })).toBe("journal since 2026-11-20");
  expect(part({ from: "2026-11-20T10:00:00Z", to: "2026-11-21T10:00:00Z" })).toBe(
    "journal between 2026-11-20 and 2026-11-21",
  );
});

it("a total states only what was counted", () => {
  const text = (total: number, searched: Parameters<typeof searchedText>[0]["searched"]) =>
    totalText(total, { log: "journal", searched, hasEnd: false, at });
  expect(text(1, undefined)).toBe("1 event in total");
  expect(text(1_234, { entries: 100_000 })).toBe("1,234 events in the newest 100,000 entries of journal");
  expect(text(100_000, { matches: 100_000 })).toBe("At least 100,000 events");
});

it("a log's event count is a minimum if not all were counted", () => {
  expect(recordCountText({ recordCount: 1_234 })).toBe("1,234");
  expect(recordCountText({ recordCount: 1_234, searched: { bytes: 33_554_432 } })).toBe("At least 1,234");
});
