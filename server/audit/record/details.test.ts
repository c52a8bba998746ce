import fc from "fast-check";
import { expect, test } from "vitest";
import { submittedByOf, withSubmitter } from "@/server/audit/provenance";
import { repairText } from "@/server/ground/text";
import { anyRow } from "@/testing/audit-entries";
import { condenseDetails, detailsText, isSecretName, maskedText, storableDetails } from "./details";

const stored = (details: Record<string, unknown>) => JSON.parse(detailsText(details));
const anyString = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((n) => String.fromCharCode(n)) });
const lone = /[\0\p{Surrogate}]/u;

test("replaces NUL and lone surrogates with U+FFFD and keeps pairs", () => {
  expect(repairText("a\0b\ud800c\udc00d😀")).toBe("a\uFFFDb\uFFFDc\uFFFDd😀");
});

test("text repair removes only characters that PostgreSQL rejects", () => {
  fc.assert(
    fc.property(anyString, (text) => {
      const repaired = repairText(text);
      expect(lone.test(repaired)).toBe(false);
      expect(repaired.length).toBe(text.length);
      for (let i = 0; i < text.length; i++) if (repaired[i] !== text[i]) expect(repaired[i]).toBe("\uFFFD");
    }),
  );
});

test.each([
  "password",
  "newPassword",
  "X-API-Key",
  "refresh_token",
  "Authorization",
  "Set-Cookie",
  "clientSecret",
  "PRIVATE.KEY",
  "credentials",
  "Password1",
  "password_2",
  "passwordNew",
  "client_secret_value",
  "tokenValue",
  "privateKeyPem",
  "ssh_key",
  "psk",
  "wifiKey",
  "recoveryCodes",
  "mfaCode",
  "bitlockerRecoveryKey",
  "laps",
  "connectionString",
])("treats %s as a secret", (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each([
  "sessionId",
  "key",
  "keyId",
  "fieldKey",
  "tokenCount",
  "tokenId",
  "hostname",
  "passwordChangedAt",
  "passwordPolicy",
  "secretName",
  "monkey",
  "errorCode",
  "rawActorId",
])("does not treat %s as a secret", (name) => {
  expect(isSecretName(name)).toBe(false);
});

test("masks secrets at any depth, but not flags and nulls", () => {
  expect(stored({ a: [{ b: { Api_Key: "s3cret", hasPassword: true, token: null, secret: { x: 1 } } }] })).toEqual({
    a: [{ b: { Api_Key: "[redacted]", hasPassword: true, token: null, secret: "[redacted]" } }],
  });
});

test("masks secrets anywhere in the details", () => {
  const needle = "N33DLE";
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: "small" },
      fc.jsonValue(),
      fc.dictionary(fc.string(), tie("node")),
      fc.record({ refreshToken: fc.constant(needle) }),
    ),
  })).node;
  fc.assert(
    fc.property(fc.dictionary(fc.string(), tree), (details) => {
      expect(detailsText(details as Record<string, unknown>)).not.toContain(needle);
    }),
  );
});

test("stores any JSON input as valid JSON", () => {
  fc.assert(
    fc.property(fc.dictionary(anyString, fc.anything()), (details) => {
      const text = detailsText(details);
      expect(lone.test(JSON.stringify(JSON.parse(text)).replace(/\\u(d[89a-f]..|0000)/gi, "\0"))).toBe(false);
    }),
  );
});

test("stores values without a JSON form in a readable form", () => {
  const cycle: Record<string, unknown> = { at: new Date(0), big: 10n ** 20n, bytes: new Uint8Array(3) };
  cycle.self = cycle;
  expect(stored(cycle)).toEqual({
    at: "1970-01-01T00:00:00.000Z",
    big: "100000000000000000000",
    bytes: "[3 bytes]",
    self: "[circular]",
  });
  expect(stored(JSON.parse('{"a":{"__proto__":{"x":1},"y":2}}'))).toEqual({ a: { y: 2 } });
});

test("keeps the details that fit the limit and names the omitted ones", () => {
  const text = condenseDetails(JSON.stringify({ a: 1, big: "x".repeat(10_000), b: 2 }), 4096);
  expect(JSON.parse(text)).toEqual({
    truncated: true,
    originalBytes: 10_022,
    a: 1,
    big: "[10009 bytes left out]",
    b: 2,
  });
  expect(condenseDetails('{"a":1}', 4096)).toBe('{"a":1}');
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 9999 }, (_, i) => [`k${i}`, "v".repeat(50)])));
  expect(Buffer.byteLength(condenseDetails(many, 65_536))).toBeLessThan(65_536);
});

test("masks agent details and leaves them unchanged without secrets", () => {
  const plain = { eventId: 4625, nested: [{ ok: true, note: "password was wrong" }], tokenCount: 3, hasPassword: true };
  expect(storableDetails(plain)).toBe(plain);
  expect(storableDetails(null)).toBeNull();
  expect(storableDetails({ a: [{ api_key: "x", "Pass\0word": 1 }], Authorization: "Bearer y", note: "a\0" })).toEqual({
    a: [{ api_key: "[redacted]", "Pass\uFFFDword": "[redacted]" }],
    Authorization: "[redacted]",
    note: "a\uFFFD",
  });
  const deep = Array.from({ length: 60_000 }, (_, n) => ({ n }));
  expect(storableDetails({ deep, password: "x" })).toEqual({ deep, password: "[redacted]" });
});

test.each([
  ["postgres://app:hunter2@db.example/x", "postgres://app:[redacted]@db.example/x"],
  ["mysql --user app --password hunter2 x", "mysql --user app --password [redacted] x"],
  ["net use /password:hunter2 /persistent", "net use /password:[redacted] /persistent"],
  ["https://x.example/?a=1&access_token=abc&b=2", "https://x.example/?a=1&access_token=[redacted]&b=2"],
  ['{"clientSecret": "abc", "n": 1}', '{"clientSecret": "[redacted]", "n": 1}'],
  ["sent Authorization: Bearer abc.DEF-123456", "sent Authorization: Bearer [redacted]"],
  ["Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted]"],
  ["with tmk_Xw3nB5dKfGh7jWq9eRt0uYi2oAp4mN0Zk3vQ8pLr.", "with [redacted]."],
  ["otp 482913 of a token", "otp [redacted] of a token"],
  ["your verification code is 482913", "your verification code is [redacted]"],
  ["OTP: 482913, 2FA code:482913", "OTP: [redacted], 2FA code:[redacted]"],
  ["-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", "[redacted]"],
])("stores %j as %j", (text, masked) => {
  expect(maskedText(text)).toBe(masked);
  expect(stored({ a: [text] })).toEqual({ a: [masked] });
  const row = anyRow({ userAgent: text, errorMessage: text, resourceName: text });
  expect([row.userAgent, row.errorMessage, row.resourceName]).toEqual([masked, masked, masked]);
});

test.each([
  "Password: must have at least 12 characters",
  "The token has expired.",
  "https://example.com/reset?step=2 for jane@example.com",
  "created API key Billing (tmk_Xw3n)",
  "error code 404812",
  "2fa48291-77aa-4f00-8f00-0123456789ab",
  "Security:4625, a token was requested",
  "bearer certificates are required",
])("stores %j unchanged because it holds no secret", (text) => {
  expect(maskedText(text)).toBe(text);
});

test("masks a value whose name is stored beside it", () => {
  const headers = [
    { name: "Authorization", value: "x" },
    { name: "Accept", value: "text/html" },
    { key: "client_secret", value: "y" },
  ];
  const masked = [
    { name: "Authorization", value: "[redacted]" },
    headers[1],
    { key: "client_secret", value: "[redacted]" },
  ];
  expect(stored({ headers })).toEqual({ headers: masked });
  expect(storableDetails({ headers })).toEqual({ headers: masked });
});

test("keeps the submitting key when details are cut at 50,000 values", () => {
  const masked = { name: "password", value: Array.from({ length: 50_010 }, () => []) };
  const details = stored(
    withSubmitter({ masked, more: {} }, { id: "01a227e0-fd03-7000-878c-cc9a90114702", name: "Billing" }),
  );
  expect(details.more).toBe("[truncated]");
  expect(submittedByOf(details)).toMatchObject({ name: "Billing" });
});
