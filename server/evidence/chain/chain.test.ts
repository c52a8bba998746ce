import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChainRow } from "@/server/audit/row";
import { canonicalPayload } from "./chain";
import { checksumOf } from "./chain-hash";

const row: ChainRow = {
  id: "0b6e7c1e-4c5a-4d7e-9f3b-2a1d00000001",
  orgId: "7d9f0a52-1111-4222-8333-444455556666",
  timestampMs: 1767225600000,
  actorType: "user",
  actorId: "c0ffee00-0000-4000-8000-000000000001",
  actorEmail: "ana@example.com",
  action: "device.update",
  resourceType: "device",
  resourceId: null,
  resourceName: "Büro-PC",
  details: '{"n": 1.0}',
  ipAddress: "203.0.113.7",
  userAgent: "",
  result: "success",
  errorMessage: null,
  chainSeq: 1,
  prevChecksum: null,
};

const payloadText = (of: ChainRow): string => Buffer.from(canonicalPayload(of)).toString();

describe("the canonical payload", () => {
  it("consists of version, byte lengths and values, as in the published example", () => {
    expect(payloadText(row)).toBe(
      "v1;-,1,36,36,13,4,36,15,13,6,-,8,10,11,0,7,-;" +
        "10b6e7c1e-4c5a-4d7e-9f3b-2a1d000000017d9f0a52-1111-4222-8333-4444555566661767225600000user" +
        'c0ffee00-0000-4000-8000-000000000001ana@example.comdevice.updatedeviceBüro-PC{"n": 1.0}203.0.113.7success',
    );
    expect(checksumOf(row)).toBe("7f5caa2ee657dcd21052cb509dbb358f023792ad5d60e4627eb30a1a356c109f");
  });

  it("distinguishes NULL from an empty string in every nullable field", () => {
    const nullable = ["actorEmail", "resourceName", "details", "ipAddress", "userAgent", "errorMessage"] as const;
    for (const field of nullable)
      expect(checksumOf({ ...row, [field]: null })).not.toBe(checksumOf({ ...row, [field]: "" }));
  });

  it("changes when text moves between adjacent fields", () => {
    const moved = { ...row, action: "device.updated", resourceType: "evice" };
    expect(checksumOf(moved)).not.toBe(checksumOf(row));
  });

  it("covers every field", () => {
    for (const field of Object.keys(row) as (keyof ChainRow)[])
      expect(checksumOf({ ...row, [field]: `${row[field] ?? ""}1` }), field).not.toBe(checksumOf(row));
  });

  it("is the same for numbers, bigints and digit strings", () => {
    const other = { ...row, chainSeq: 1n, timestampMs: "1767225600000" };
    expect(payloadText(other)).toBe(payloadText(row));
  });

  it("has the same lengths as a text encoder, including lone surrogates", () => {
    const surrogate = fc.integer({ min: 0xd800, max: 0xdfff });
    const units = fc.array(
      fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0x900 }), surrogate),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(units, (codes) => {
        const userAgent = String.fromCharCode(...codes);
        const [, lengths = ""] = payloadText({ ...row, userAgent }).split(";");
        return lengths.split(",")[14] === String(Buffer.byteLength(userAgent));
      }),
      { numRuns: 1_000 },
    );
  });
});
