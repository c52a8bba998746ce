import { describe, expect, it } from "vitest";
import { partOf } from "./download";

const part = (range: string | null, ifRange: string | null = null) =>
  partOf({ size: 100, etag: '"kept"', range, ifRange });

describe("byte ranges", () => {
  it.each([
    ["bytes=0-", { first: 0, last: 99 }],
    ["bytes=10-19", { first: 10, last: 19 }],
    ["bytes=90-500", { first: 90, last: 99 }],
    ["bytes=-10", { first: 90, last: 99 }],
    ["bytes=-500", { first: 0, last: 99 }],
    ["bytes = 5-6", { first: 5, last: 6 }],
  ])("parses %s of 100 bytes", (header, span) => expect(part(header)).toMatchObject({ ...span, status: 206 }));

  it.each([null, "", "bytes=-", "bytes=5-4", "bytes=0-1,3-4", "lines=1-2", "bytes=a-b"])(
    "ignores an unsupported range: %s",
    (header) => expect(part(header)).toMatchObject({ first: 0, last: 99, status: 200 }),
  );

  it.each(["bytes=100-", "bytes=100-200", "bytes=-0"])("rejects a range past the end: %s", (header) =>
    expect(() => part(header)).toThrow("100 bytes"),
  );
});
