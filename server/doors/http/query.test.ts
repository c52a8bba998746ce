import { expect, it } from "vitest";
import { queryOf } from "./query";

it("has a parameter once as a text, several times as a list, in their order", () => {
  expect(queryOf("http://x/list?a=1&b=&a=2&c=%00&a=3")).toEqual({ a: ["1", "2", "3"], b: "", c: "\ufffd" });
  expect(queryOf("http://x/list")).toEqual({});
});

it("leaves the prototype alone", () => {
  expect(Object.keys(queryOf("http://x/?__proto__=1&__proto__=2&constructor=3"))).toEqual(["constructor"]);
  expect(({} as Record<string, unknown>).constructor).toBe(Object);
});

it("takes as many of one name as an address has room for in a moment", () => {
  const url = `http://x/?${"a&".repeat(8_000)}`;
  const times = Array.from({ length: 5 }, () => {
    const begun = process.cpuUsage();
    queryOf(url);
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000;
  });
  expect(Math.min(...times)).toBeLessThan(40);
});
