import { beforeAll, expect, it } from "vitest";
import { requireSameOrigin } from "./origin";

beforeAll(() => {
  process.env.DATABASE_URL ??= "postgres://nobody@127.0.0.1/none";
  process.env.NEXTAUTH_SECRET ??= "0123456789012345678901234567890123456789";
  process.env.NEXTAUTH_URL ??= "http://127.0.0.1:3000";
});

const passes = (headers: Record<string, string>, method = "POST", viaCookie = true) => {
  try {
    requireSameOrigin(new Request("http://127.0.0.1:3000/api/v1/users", { method, headers }), viaCookie);
    return true;
  } catch {
    return false;
  }
};

it.each([
  [{ origin: "http://127.0.0.1:3000" }, true],
  [{ origin: "http://other.test:3000", host: "other.test:3000" }, true],
  [{ "sec-fetch-site": "same-origin" }, true],
  [{ origin: "https://evil.test", host: "127.0.0.1:3000" }, false],
  [{ origin: "http://127.0.0.1:3001", host: "127.0.0.1:3000" }, false],
  [{ origin: "null" }, false],
  [{ origin: "https://evil.test", "sec-fetch-site": "same-origin" }, false],
  [{ "sec-fetch-site": "cross-site" }, false],
  [{ "sec-fetch-site": "same-site" }, false],
  [{ "sec-fetch-site": "none" }, false],
  [{ origin: "http://127.0.0.1:3000", "sec-fetch-site": "cross-site" }, false],
  [{}, false],
])("cookie-authenticated writes with %j pass the origin check: %s", (headers, expected) => {
  expect(passes(headers as Record<string, string>)).toBe(expected);
});

it.each([
  [{}, true],
  [{ "sec-fetch-site": "same-origin" }, true],
  [{ "sec-fetch-site": "none" }, true],
  [{ origin: "https://evil.test" }, true],
  [{ "sec-fetch-site": "same-site" }, false],
  [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, false],
])("cookie-authenticated reads with %j pass the origin check: %s", (headers, expected) => {
  expect(passes(headers as Record<string, string>, "GET")).toBe(expected);
});

it("requests without the cookie pass the origin check from anywhere", () => {
  const headers = { origin: "https://evil.test", "sec-fetch-site": "cross-site" };
  expect(passes(headers, "GET", false)).toBe(true);
  expect(passes(headers, "POST", false)).toBe(true);
});
