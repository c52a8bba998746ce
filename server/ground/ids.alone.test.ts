import { afterEach, expect, test, vi } from "vitest";
import { newId } from "./ids";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

afterEach(() => void vi.useRealTimers());

const millisecondOf = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
const some = (count: number): string[] => Array.from({ length: count }, newId);

test("IDs are UUIDv7 in ascending order, even many per millisecond", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  const ids = some(10_000);
  expect(ids.filter((id) => !UUID_V7.test(id))).toEqual([]);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids.map((id) => id.slice(19))).size).toBe(ids.length);
  expect(millisecondOf(ids.at(-1) ?? "") - millisecondOf(ids[0] ?? "")).toBe(2);
});

test("IDs keep ascending when the clock steps back", () => {
  const now = Date.now() + 120_000;
  vi.useFakeTimers({ toFake: ["Date"], now });
  const before = some(3);
  vi.setSystemTime(now - 5_000);
  const back = some(3);
  vi.setSystemTime(now + 5_000);
  const ahead = some(3);
  const ids = [...before, ...back, ...ahead];
  expect(ids.toSorted()).toEqual(ids);
  expect([before, back, ahead].map(([id = ""]) => millisecondOf(id))).toEqual([now, now, now + 5_000]);
});

test("the first ID is valid even if the clock was never set", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  vi.resetModules();
  const fresh = await import("./ids");
  expect(fresh.newId()).toMatch(UUID_V7);
});
