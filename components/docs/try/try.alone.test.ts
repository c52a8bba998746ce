import { afterEach, describe, expect, test, vi } from "vitest";
import type { Operation } from "@/components/docs/openapi";
import { curlOf, faultsOf, initialValues, toRequest } from "./request";
import { indented, sendRequest, type TryResponse } from "./send";

const operation: Operation = {
  operationId: "postNote",
  method: "POST",
  path: "/devices/{id}/notes",
  tag: "devices",
  summary: "Write a note",
  security: [{ apiKey: [] }],
  parameters: [
    { name: "id", in: "path", required: true, schema: { type: "string" } },
    { name: "search", in: "query", schema: { type: "string" } },
    { name: "Idempotency-Key", in: "header", schema: { type: "string" } },
  ],
  body: { required: true, type: "application/json", schema: {}, example: { text: "it's done" } },
  responses: {},
};
const SECRET = "tmk_secret";
const filled = {
  ...initialValues(operation),
  values: { "path id": "a/b", "query search": "x&y", "header Idempotency-Key": "7" },
};
const request = toRequest(operation, filled, { base: "https://t.example/api/v1", credential: ` ${SECRET} ` });
afterEach(() => vi.unstubAllGlobals());

describe("a request", () => {
  test("escapes the URL and includes credential, headers and body", () => {
    expect(request).toEqual({
      method: "POST",
      url: "https://t.example/api/v1/devices/a%2Fb/notes?search=x%26y",
      headers: { Authorization: `Bearer ${SECRET}`, "Idempotency-Key": "7", "Content-Type": "application/json" },
      body: '{\n  "text": "it\'s done"\n}',
    });
  });

  test("is shown as a command without the secret", () => {
    const command = curlOf(request);
    expect(command).not.toContain(SECRET);
    expect(command).toContain('"Authorization: Bearer $TRAILMARK_KEY"');
    expect(command).toContain("it'\\''s done");
  });

  test("reports missing values", () => {
    expect(faultsOf(operation, initialValues(operation))).toEqual({ "path id": "Required" });
    expect(faultsOf(operation, { ...filled, body: "{" })).toEqual({ body: "Not valid JSON" });
  });
});

describe("a response", () => {
  const answerWith = (response: Response) =>
    vi.stubGlobal(
      "fetch",
      vi.fn(async () => response),
    );

  test("is requested without the browser's session", async () => {
    answerWith(new Response(null, { status: 204 }));
    const answer = await sendRequest(request, new AbortController().signal, () => {});
    expect(answer).toMatchObject({ status: 204, text: "", isTruncated: false });
    expect(vi.mocked(fetch).mock.calls[0]?.[1]).toMatchObject({ credentials: "omit", cache: "no-store" });
  });

  test("that never ends is shown so far, up to the limit", async () => {
    const chunk = new TextEncoder().encode("x".repeat(60_000));
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
    answerWith(new Response(body, { headers: { "content-type": "text/event-stream" } }));
    const seen: TryResponse[] = [];
    const answer = await sendRequest(request, new AbortController().signal, (found) => seen.push(found));
    expect(seen.length).toBeGreaterThan(1);
    expect(answer.isTruncated).toBe(true);
    expect(answer.text).toHaveLength(200_000);
  });

  test("in JSON is indented without changing its values", () => {
    const text = '{"a":[],"b":{},"n":123456789012345678901234567890.10,"s":"x: {y}, \\"z\\""}';
    expect(indented(text)).toBe(
      '{\n  "a": [],\n  "b": {},\n  "n": 123456789012345678901234567890.10,\n  "s": "x: {y}, \\"z\\""\n}',
    );
    expect(JSON.parse(indented(text))).toEqual(JSON.parse(text));
  });
});
