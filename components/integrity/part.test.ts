import { describe, expect, it } from "vitest";
import { MAX_BREAKS } from "@/server/evidence/chain/verifier";
import { placesText } from "./breaks";
import { faultOf, isWhole, modeOf, scopeOf, titleOf, toInput, WHOLE } from "./part";

const FOUND = {
  orgId: "00000000-0000-4000-8000-000000000001",
  status: "intact" as const,
  reasons: [],
  covered: { firstSeq: 1_000, lastSeq: 2_000, checkpoint: null },
  rowsRead: 1_001,
  rowsChecked: 1_001,
  firstSeq: 1_000,
  lastSeq: 2_000,
  prunedPrefix: null,
  head: { seq: 5_000, checksum: "0".repeat(64) },
  breaks: [],
};
const SEQUENCES = { ...WHOLE, fromSeq: 1_000, toSeq: 2_000 };
const NOON = new Date("2026-11-22T12:00:00Z");

describe("a part of a chain", () => {
  it("is given by time or by sequence; time takes precedence", () => {
    expect(isWhole(WHOLE)).toBe(true);
    expect(modeOf(WHOLE)).toBeNull();
    expect(modeOf(SEQUENCES)).toBe("sequence");
    expect(modeOf({ ...SEQUENCES, from: NOON })).toBe("time");
    expect(toInput(SEQUENCES)).toEqual({ fromSeq: 1_000, toSeq: 2_000 });
    expect(toInput({ ...SEQUENCES, from: NOON })).toEqual({ from: NOON.toISOString(), to: undefined });
  });

  it("must not start after its end or before the first entry", () => {
    expect(faultOf(SEQUENCES)).toBeNull();
    expect(faultOf({ ...SEQUENCES, fromSeq: 2_001 })).toMatchObject({ end: "from" });
    expect(faultOf({ ...SEQUENCES, fromSeq: 0 })).toMatchObject({ end: "from", text: "The first entry is 1" });
    expect(faultOf({ ...WHOLE, toSeq: -4 })).toMatchObject({ end: "to" });
  });

  it("states how much of the chain was not read by sequence", () => {
    expect(titleOf({ found: FOUND, part: SEQUENCES })).toBe("Intact in this range");
    expect(scopeOf({ found: FOUND, part: SEQUENCES, seconds: 0.25 })).toBe(
      "1,001 entries checked, entries 1,000 to 2,000. The other 3,999 entries of the chain are outside the range and were not read. Read in 0.3 s.",
    );
    const pruned = { ...FOUND, prunedPrefix: { throughSeq: 3_999, throughChecksum: null } };
    const prunedUnder = "the window of 30 days that entry 9 set";
    const removed = `Retention removed the entries through 3,999 under ${prunedUnder}.`;
    const all = { ...SEQUENCES, toSeq: null };
    expect(scopeOf({ found: pruned, part: all, seconds: 1, prunedUnder })).toContain(
      `No other entry is in the chain. ${removed}`,
    );
    expect(scopeOf({ found: pruned, part: WHOLE, seconds: 1, prunedUnder })).toContain(`to 2,000. ${removed}`);
  });

  it("does not count a missing entry inside the range as outside", () => {
    const gone = { ...FOUND, status: "broken" as const, rowsChecked: 1, firstSeq: 4, lastSeq: 4 };
    const part = { ...WHOLE, fromSeq: 4, toSeq: 5 };
    expect(scopeOf({ found: { ...gone, head: { seq: 9, checksum: "0" } }, part, seconds: 1 })).toContain(
      "1 entry checked, entries 4 to 4. The other 7 entries of the chain are outside the range and were not read.",
    );
  });

  it("omits a duration that rounds to zero", () => {
    expect(scopeOf({ found: FOUND, part: WHOLE, seconds: 0.04 })).toBe(
      "1,001 entries checked, entries 1,000 to 2,000.",
    );
  });

  it("states that a range by time read the whole chain", () => {
    const found = { ...FOUND, rowsRead: 5_000 };
    expect(scopeOf({ found, part: { ...WHOLE, from: NOON }, seconds: 1 })).toBe(
      "1,001 entries in the range, entries 1,000 to 2,000; the whole chain of 5,000 was read for it. Read in 1.0 s.",
    );
  });
});

const places = (n: number) => placesText(Array.from({ length: n }));

it("counts breaks, without a number when the list is full", () => {
  expect(places(1)).toBe("1 place");
  expect(places(MAX_BREAKS - 1)).toBe("99 places");
  expect(places(MAX_BREAKS)).toBe("at least 100 places, of which the first 100 are listed");
});
