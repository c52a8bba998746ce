import { expect, it } from "vitest";
import { feedEntries } from "@/server/audit/tail/feed";
import { AppError } from "@/server/ground/errors";
import { noInput } from "@/server/ground/wire";
import { queryOf, requireKnown } from "./query";

it("returns a single parameter as text and repeated ones as an ordered list", () => {
  expect(queryOf("http://x/list?a=1&b=&a=2&c=%00&a=3")).toEqual({ a: ["1", "2", "3"], b: "", c: "\ufffd" });
  expect(queryOf("http://x/list")).toEqual({});
});

it("ignores prototype members", () => {
  expect(Object.keys(queryOf("http://x/?__proto__=1&__proto__=2&constructor=3"))).toEqual(["constructor"]);
  expect(({} as Record<string, unknown>).constructor).toBe(Object);
});

/** The least of five times (ms of the processor): other work of the process counts in any one of them. */
function leastOf(work: () => void): number {
  const times = Array.from({ length: 5 }, () => {
    const begun = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

it("parses the maximum number of repeated parameters quickly", () => {
  const url = `http://x/?${"a&".repeat(8_000)}`;
  expect(leastOf(() => queryOf(url))).toBeLessThan(40);
});

/** The refusal of a query, as `requireKnown` throws it. */
function refusalOf(...asked: Parameters<typeof requireKnown>): AppError | null {
  try {
    requireKnown(...asked);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

it.each([
  ["limt", "limit"],
  ["Limit", "limit"],
  ["resourceTyp", "resourceType"],
  ["action_s", "actions"],
])("names %s and the nearest valid parameter", (path, near) => {
  const refusal = refusalOf({ [path]: "5", limit: "1" }, feedEntries.input);
  const message = `is not a query parameter here; the nearest is ${near}`;
  expect(refusal).toMatchObject({ code: "validation_error", extra: { errors: [{ path, message }] } });
  expect(refusal?.message).toBe(`${path} ${message}.`);
});

it("rejects parameters outside the input, and those set by path or headers", () => {
  expect(refusalOf({ actions: ["a", "b"], orgId: "x" }, feedEntries.input)).toBeNull();
  expect(refusalOf({ wait: "1" }, feedEntries.input, ["wait"])?.message).toContain("wait is not a query parameter");
  expect(refusalOf({ a: "1" }, noInput)?.message).toBe("a is not a query parameter here; there are none.");
});

it("rejects thousands of long parameter names quickly", () => {
  const query = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`${i}${"x".repeat(200)}`, ""]));
  expect(refusalOf(query, feedEntries.input)?.extra.errors).toHaveLength(50);
  expect(leastOf(() => refusalOf(query, feedEntries.input))).toBeLessThan(200);
});
