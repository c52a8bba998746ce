import { describe, expect, it } from "vitest";
import { amountText } from "./amount";

describe("how much is shown", () => {
  const page = { shown: 50, total: 1_234, isWhole: false, hasOlder: true };

  it("is so much of the total, or so much alone while that is counted", () => {
    expect(amountText(page)).toBe("50 of 1,234 entries");
    expect(amountText({ ...page, total: null })).toBe("50 entries on this page");
    expect(amountText({ ...page, shown: 1, total: null })).toBe("1 entry on this page");
  });

  it("is the page where that is everything, also when an entry came before the total was counted", () => {
    const whole = { shown: 2, total: 3, isWhole: true, hasOlder: false };
    expect(amountText(whole)).toBe("2 entries");
    expect(amountText({ ...whole, total: null })).toBe("2 entries");
  });

  it("names no total that is older than the page beside it", () => {
    expect(amountText({ ...page, total: 50 })).toBe("50 entries on this page");
    expect(amountText({ ...page, shown: 7, total: 5, hasOlder: false })).toBe("7 entries on this page");
  });

  it("says it once where a live list shows all that was counted", () => {
    expect(amountText({ ...page, total: 50, hasOlder: false })).toBe("50 entries");
  });
});
