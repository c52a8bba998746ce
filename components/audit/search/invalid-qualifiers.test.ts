import { expect, test } from "vitest";
import { invalidQualifiers } from "./invalid-qualifiers";
import { parseQuery } from "./query-text";

test("an unknown qualifier is named with the one that was probably meant", () => {
  expect(invalidQualifiers("created:2026-11-18 resutl:denied host:WS-1")).toEqual([
    { part: "created:2026-11-18", reason: "is not a filter", instead: "on:2026-11-18" },
    { part: "resutl:denied", reason: "is not a filter", instead: "result:denied" },
    { part: "host:WS-1", reason: "is not a filter", instead: "device:WS-1" },
  ]);
  expect(invalidQualifiers("zzzzzz:1")).toEqual([{ part: "zzzzzz:1", reason: "is not a filter", instead: null }]);
});

test("a value that a filter does not take is said, addresses and times are left alone", () => {
  expect(invalidQualifiers("result:odd")).toEqual([
    { part: "result:odd", reason: "takes success, failure or denied", instead: null },
  ]);
  expect(invalidQualifiers("on:fire")[0]?.reason).toContain("not a recognized time");
  expect(invalidQualifiers("https://x.test 14:02 plain")).toEqual([]);
});

test("a filter that an address holds as text is offered as one", () => {
  expect(invalidQualifiers("result:denied jane")).toEqual([
    { part: "result:denied", reason: "is a filter", instead: "result:denied" },
  ]);
});

test("what a minus cannot leave out is said, and stays in the text", () => {
  expect(parseQuery("-before:2026-11-18 -resutl:denied -session:")).toMatchObject({
    q: "-before:2026-11-18 -resutl:denied",
    exclude: "q:session:",
  });
  expect(invalidQualifiers("-before:2026-11-18 -resutl:denied")).toEqual([
    { part: "-before:2026-11-18", reason: "cannot be excluded", instead: "after:2026-11-18" },
    { part: "-resutl:denied", reason: "is not a filter", instead: "-result:denied" },
  ]);
});
