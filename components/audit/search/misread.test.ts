import { expect, test } from "vitest";
import { misreadIn } from "./misread";

test("an unknown qualifier is named with the one that was probably meant", () => {
  expect(misreadIn("created:2026-11-18 resutl:denied host:WS-1")).toEqual([
    { part: "created:2026-11-18", reason: "is no filter", instead: "on:2026-11-18" },
    { part: "resutl:denied", reason: "is no filter", instead: "result:denied" },
    { part: "host:WS-1", reason: "is no filter", instead: "device:WS-1" },
  ]);
  expect(misreadIn("zzzzzz:1")).toEqual([{ part: "zzzzzz:1", reason: "is no filter", instead: null }]);
});

test("a value that a filter does not take is said, addresses and times are left alone", () => {
  expect(misreadIn("result:odd")).toEqual([
    { part: "result:odd", reason: "takes success, failure or denied", instead: null },
  ]);
  expect(misreadIn("on:fire")[0]?.reason).toContain("no time");
  expect(misreadIn("https://x.test 14:02 plain")).toEqual([]);
});
