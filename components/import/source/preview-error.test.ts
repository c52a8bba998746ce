import { expect, it } from "vitest";
import { isPermanent } from "./file-preview";

const refused = (code: string) => ({ data: { problem: { code, detail: "Refused." } } });

it("blames the file only if the server read it", () => {
  expect(["validation_failed", "payload_too_large"].map((code) => isPermanent(refused(code)))).toEqual([true, true]);
  expect(["unavailable", "rate_limited", "internal"].some((code) => isPermanent(refused(code)))).toBe(false);
  expect(isPermanent(new TypeError("Failed to fetch"))).toBe(false);
});
