import { describe, expect, it } from "vitest";
import { ROLLING_NIGHTS, rollingRange } from "./nightly-range";

describe("rollingRange", () => {
  it("reads every earlier row within thirty nights and then begins anew", () => {
    let rolling = 0;
    const seen = new Set<number>();
    for (let night = 0; night < ROLLING_NIGHTS; night++) {
      const range = rollingRange(0, 1001, rolling);
      for (let seq = range?.first ?? 1; seq <= (range?.last ?? 0); seq++) seen.add(seq);
      rolling = range?.last ?? 0;
    }
    expect(seen.size).toBe(1000);
    expect(rollingRange(0, 1001, rolling)).toEqual({ first: 1, last: 34 });
  });

  it("leaves out what was pruned meanwhile", () => {
    expect(rollingRange(500, 1001, 100)).toEqual({ first: 501, last: 517 });
    expect(rollingRange(1000, 1001, 100)).toBeNull();
  });

  it("has nothing to read of a new or short chain", () => {
    expect(rollingRange(0, 0, 0)).toBeNull();
    expect(rollingRange(0, 1, 0)).toBeNull();
    expect(rollingRange(0, 2, 0)).toEqual({ first: 1, last: 1 });
  });
});
