import { expect, it } from "vitest";
import { isWithin, type LiveItem } from "./merge-live";

const at = (time: string): LiveItem => ({ source: "live", at: `2026-11-20T${time}Z`, key: time }) as LiveItem;
const [from, to] = [new Date("2026-11-20T10:00:00.000Z"), new Date("2026-11-20T11:00:00.000Z")];

it("includes live events from the first to the last millisecond of a span, and open ends", () => {
  const items = ["09:59:59.999", "10:00:00.000", "11:00:00.000", "11:00:00.001"].map(at);
  const within = (span: { from?: Date; to?: Date }) => items.map((item) => isWithin(item, span));
  expect(within({ from, to })).toEqual([false, true, true, false]);
  expect(within({ from })).toEqual([false, true, true, true]);
  expect(within({ to })).toEqual([true, true, true, false]);
  expect(within({})).toEqual([true, true, true, true]);
});
