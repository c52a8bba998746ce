import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { MAX_BODY_BYTES, readJson } from "./body";

const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  new Request("http://x/", {
    method: "POST",
    body: body as BodyInit,
    headers: { "content-type": "application/json", ...headers },
  });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    (e: { code?: string }) => e.code,
  );
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

describe("request bodies", () => {
  it("are read plain and gzipped", async () => {
    expect(await readJson(post('{"a":[1,"ü"]}'))).toEqual({ a: [1, "ü"] });
    expect(await readJson(post('{"a\\u0000":["\\ud800 \\ud83d\\ude00"],"b":"\\\\u0000"}'))).toEqual({
      "a\ufffd": ["\ufffd 😀"],
      b: "\\u0000",
    });
    expect(await readJson(post(gzipSync('{"a":1}'), { "content-encoding": "gzip" }))).toEqual({ a: 1 });
  });

  it.each([
    ["malformed JSON", post("{"), "validation_failed"],
    ["no JSON type", post("{}", { "content-type": "text/plain" }), "unsupported_media_type"],
    ["another encoding", post("{}", { "content-encoding": "br" }), "unsupported_media_type"],
    ["invalid gzip", post("{}", { "content-encoding": "gzip" }), "validation_failed"],
    ["too many bytes", post(JSON.stringify({ a: "x".repeat(MAX_BODY_BYTES) })), "payload_too_large"],
    [
      "a gzip bomb",
      post(gzipSync(Buffer.alloc(200 * 1024 * 1024)), { "content-encoding": "gzip" }),
      "payload_too_large",
    ],
    ["33 levels", post(nested(33)), "validation_failed"],
    ["100,000 levels", post(nested(100_000)), "validation_failed"],
    ["a prototype key", post('{"a":{"__proto__":{"b":1}}}'), "validation_failed"],
  ])("are rejected with %s", async (_, request, code) => expect(await codeOf(readJson(request))).toBe(code));

  it("respect a lower size limit", async () => {
    const text = JSON.stringify({ a: "x".repeat(2_000) });
    expect(await codeOf(readJson(post(text), { max: 1_000 }))).toBe("payload_too_large");
    const packed = post(gzipSync(text), { "content-encoding": "gzip" });
    expect(await codeOf(readJson(packed, { max: 1_000 }))).toBe("payload_too_large");
  });

  it("may nest 32 levels in event details, with errors naming the member", async () => {
    const events = (depth: number) => post(`{"events":[{"details":${nested(depth)}}]}`);
    expect(await codeOf(readJson(events(32)))).toBe("ok");
    await expect(readJson(events(33))).rejects.toMatchObject({ extra: { errors: [{ path: "events.0.details" }] } });
    const again = `{"events":[{"details":{"details":{"details":${nested(31)}}}}]}`;
    expect(await codeOf(readJson(post(again)))).toBe("validation_failed");
  });

  it("may be 32 levels deep", async () => expect(await codeOf(readJson(post(nested(32))))).toBe("ok"));
});
