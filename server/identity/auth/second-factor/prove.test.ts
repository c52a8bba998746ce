import { Secret, TOTP } from "otpauth";
import { expect, it } from "vitest";
import { stepOf } from "./prove";

const NOW = new Date("2026-11-22T12:00:15Z");
const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const codeAt = (seconds: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: NOW.getTime() + seconds * 1000 });

it("accepts a TOTP code within 30 seconds of clock drift and none beyond", () => {
  const step = Math.floor(NOW.getTime() / 30_000);
  expect([-30, 0, 30].map((seconds) => stepOf(secret, codeAt(seconds), NOW))).toEqual([step - 1, step, step + 1]);
  expect([-60, 60, 3600].map((seconds) => stepOf(secret, codeAt(seconds), NOW))).toEqual([null, null, null]);
});

it.each(["é12345", "٠١٢٣٤٥", "😀1234", "12345", "1234567", "", "12345 "])(
  "treats %j as an ordinary wrong code",
  (code) => {
    expect(stepOf(secret, code, NOW)).toBeNull();
  },
);
