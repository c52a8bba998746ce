import { expect, it } from "vitest";
import { refuseMovedClock } from "./clock";

const HOUR_MS = 3_600_000;

it("allows the daily run while the clock advances normally", async () => {
  await expect(refuseMovedClock()).resolves.toBeUndefined();
  await expect(refuseMovedClock(Date.now() + HOUR_MS / 2)).resolves.toBeUndefined();
});

it("rejects a clock set ahead by a day or a year", async () => {
  await expect(refuseMovedClock(Date.now() + 25 * HOUR_MS)).rejects.toThrow("set ahead by 25 hours");
  await expect(refuseMovedClock(Date.now() + 365 * 24 * HOUR_MS)).rejects.toThrow("set ahead by 8760 hours");
});

it("rejects a clock that differs from the database's", async () => {
  await expect(refuseMovedClock(Date.now() + 2 * HOUR_MS)).rejects.toThrow("2 hours apart");
  await expect(refuseMovedClock(Date.now() - 48 * HOUR_MS)).rejects.toThrow("48 hours apart");
});
