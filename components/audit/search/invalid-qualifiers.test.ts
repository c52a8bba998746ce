import { expect, test } from "vitest";
import { invalidQualifiers } from "./invalid-qualifiers";
import { parseQuery } from "./query-text";

test("an unknown qualifier is reported with the closest known one", () => {
  expect(invalidQualifiers("created:2026-11-18 resutl:denied host:WS-1")).toEqual([
    { part: "created:2026-11-18", reason: "is not a filter", instead: "on:2026-11-18" },
    { part: "resutl:denied", reason: "is not a filter", instead: "result:denied" },
    { part: "host:WS-1", reason: "is not a filter", instead: "device:WS-1" },
  ]);
  expect(invalidQualifiers("zzzzzz:1")).toEqual([{ part: "zzzzzz:1", reason: "is not a filter", instead: null }]);
});

test("an invalid value is reported; URLs and times are ignored", () => {
  expect(invalidQualifiers("result:odd")).toEqual([
    { part: "result:odd", reason: "takes success, failure or denied", instead: null },
  ]);
  expect(invalidQualifiers("on:fire")[0]?.reason).toContain("not a recognized time");
  expect(invalidQualifiers("https://x.test 14:02 plain")).toEqual([]);
});

test("a valid filter in a URL's text is suggested as a filter", () => {
  expect(invalidQualifiers("result:denied jane")).toEqual([
    { part: "result:denied", reason: "is a filter", instead: "result:denied" },
  ]);
});

test("a qualifier that cannot be excluded is reported and stays in the text", () => {
  expect(parseQuery("-before:2026-11-18 -resutl:denied -session:")).toMatchObject({
    q: "-before:2026-11-18 -resutl:denied",
    exclude: "q:session:",
  });
  expect(invalidQualifiers("-before:2026-11-18 -resutl:denied")).toEqual([
    { part: "-before:2026-11-18", reason: "cannot be excluded", instead: "after:2026-11-18" },
    { part: "-resutl:denied", reason: "is not a filter", instead: "-result:denied" },
  ]);
});
