import { expect, it } from "vitest";
import { pathOf } from "./request-target";

const ORIGIN = "http://127.0.0.1:3000";

it.each([
  ["/devices?page=2", "/devices?page=2"],
  ["//evil.test/devices", "//evil.test/devices"],
  ["http://127.0.0.1:3000/devices?page=2", "/devices?page=2"],
  ["HTTP://127.0.0.1:3000", "/"],
  ["*", null],
  ["http://evil.test/devices", null],
  ["http://127.0.0.1:3001/devices", null],
  ["http://someone@127.0.0.1:3000/devices", null],
  ["http://", null],
  ["http:/devices", null],
  ["ftp://127.0.0.1:3000/devices", null],
  ["evil.test:443", null],
  ["", null],
])("parses %s as %s", (target, path) => {
  expect(pathOf(target, ORIGIN)).toBe(path);
});
