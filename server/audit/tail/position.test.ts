import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { newId } from "@/server/ground/ids";
import { decodePosition, encodePosition, MAX_POSITION_CHARS } from "./position";

const orgs = (count: number) => Array.from({ length: count }, () => randomUUID()).sort();

it("a position survives encoding and decoding", () => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeNat(), { maxLength: 40 }), (seqs) => {
      const orgIds = orgs(seqs.length);
      expect(decodePosition(encodePosition({ orgIds, seqs }), orgIds)?.seqs).toEqual(seqs);
    }),
  );
});

it("fits a header and a URL with 1,000 organizations, and fails above that", () => {
  const orgIds = orgs(1_000);
  const text = encodePosition({ orgIds, seqs: orgIds.map(() => 268_000_000) });
  expect(text.length).toBeLessThanOrEqual(MAX_POSITION_CHARS);
  expect(text).toMatch(/^[\w-]+$/);
  const many = orgs(5_000);
  expect(decodePosition(encodePosition({ orgIds: many, seqs: many.map(() => 9_999_999) }), many)).toBeNull();
});

it("rejects foreign, truncated, extended and arbitrary positions", () => {
  const orgIds = orgs(3);
  const text = encodePosition({ orgIds, seqs: [1, 300, 70_000] });
  expect(decodePosition(text, orgs(3))).toBeNull();
  expect(decodePosition(text, orgIds.slice(1))).toBeNull();
  expect(decodePosition(text, orgIds.slice(0, 2))).toBeNull();
  expect(decodePosition(text.slice(0, -2), orgIds)).toBeNull();
  expect(decodePosition(`${text}AAAA`, orgIds)).toBeNull();
  fc.assert(fc.property(fc.string(), (other) => decodePosition(other, orgIds) === null));
});

it("starts a newly added organization at its beginning", () => {
  const orgIds = Array.from({ length: 3 }, newId);
  const text = encodePosition({ orgIds: orgIds.slice(0, 2), seqs: [7, 9] });
  expect(decodePosition(text, orgIds)).toEqual({ orgIds, seqs: [7, 9, 0] });
});
