import { afterEach, expect, it, vi } from "vitest";
import { createQueryClient } from "./query-client";

afterEach(() => void vi.unstubAllGlobals());

/** Whether a query asks again after so many failures with this status. */
function asksAgain(status: number, failures: number): boolean {
  const { retry } = createQueryClient().getDefaultOptions().queries ?? {};
  const error = Object.assign(new Error(), { data: { httpStatus: status } });
  return typeof retry === "function" && retry(failures, error);
}

it("retries a few times in the browser when rate limited", () => {
  expect(asksAgain(429, 0)).toBe(false);
  vi.stubGlobal("window", {});
  expect([0, 1, 2].map((failures) => asksAgain(429, failures))).toEqual([true, true, false]);
});

it("retries once after a server error, not after a rejection", () => {
  expect([0, 1].map((failures) => asksAgain(503, failures))).toEqual([true, false]);
  expect([400, 401, 403, 404].map((status) => asksAgain(status, 0))).toEqual([false, false, false, false]);
});
