import { describe, expect, it } from "vitest";
import { amountText } from "./amount";

describe("the amount shown", () => {
  const page = { shown: 50, total: 1_234, isWhole: false, hasOlder: true };

  it("is a part of the total, or just the page while that is counted", () => {
    expect(amountText(page)).toBe("50 of 1,234 entries");
    expect(amountText({ ...page, total: null })).toBe("50 entries on this page");
    expect(amountText({ ...page, shown: 1, total: null })).toBe("1 entry on this page");
  });

  it("is the page when that is everything, even if an entry arrived before the count", () => {
    const whole = { shown: 2, total: 3, isWhole: true, hasOlder: false };
    expect(amountText(whole)).toBe("2 entries");
    expect(amountText({ ...whole, total: null })).toBe("2 entries");
  });

  it("omits a total that is older than the page", () => {
    expect(amountText({ ...page, total: 50 })).toBe("50 entries on this page");
    expect(amountText({ ...page, shown: 7, total: 5, hasOlder: false })).toBe("7 entries on this page");
  });

  it("is stated once when a live list shows everything", () => {
    expect(amountText({ ...page, total: 50, hasOlder: false })).toBe("50 entries");
  });
});
