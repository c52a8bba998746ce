import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256 } from "@/server/evidence/tree/note-tools";
import { leafHash, nodeHash, type Sha256 } from "@/server/evidence/tree/tree";
import { foldPerfect, leafOf, writeLeaf } from "./hashing";
import { TreeBuilder } from "./tree-builder";

const plain: Sha256 = (bytes) => createHash("sha256").update(bytes).digest();
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const checksums = (count: number) => Array.from({ length: count }, (_, n) => hexOf(plain(Buffer.from(`row ${n}`))));

describe("hashing in the signer", () => {
  it("equals SHA-256 for any length", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => hexOf(sha256(bytes)) === hexOf(plain(bytes))));
  });

  it("returns the leaf of a checksum in either case and writes nowhere else", () => {
    for (const checksum of [...checksums(20), checksums(1).join("").toUpperCase()]) {
      const into = new Uint8Array(96).fill(7);
      writeLeaf(checksum, into, 32);
      const expected = leafHash(plain, Buffer.from(checksum, "hex"));
      expect([hexOf(leafOf(checksum)), hexOf(into)]).toEqual([
        hexOf(expected),
        `${"07".repeat(32)}${hexOf(expected)}${"07".repeat(32)}`,
      ]);
    }
  });

  it("decodes text that is not a checksum like Node's hex decoder", () => {
    for (const text of ["", "zz".repeat(32), `${"ab".repeat(31)}`, `${"ab".repeat(31)}z0`])
      expect(hexOf(leafOf(text))).toBe(hexOf(leafHash(plain, Buffer.from(text, "hex"))));
  });

  it("folds a power of two of hashes without changing them", () => {
    for (const count of [1, 2, 4, 32, 256]) {
      const hashes = checksums(count).map((hex) => Buffer.from(hex, "hex"));
      const fold = (row: Uint8Array[]): Uint8Array =>
        row.length === 1
          ? (row[0] as Uint8Array)
          : fold(
              row.filter((_, i) => i % 2 === 0).map((left, i) => nodeHash(plain, left, row[2 * i + 1] as Uint8Array)),
            );
      const joined = Buffer.concat(hashes);
      const before = hexOf(joined);
      expect(hexOf(foldPerfect(joined))).toBe(hexOf(fold(hashes)));
      expect(hexOf(joined)).toBe(before);
    }
  });
});

it("a tree knows its last leaf within a tile and at its end", () => {
  const rows = checksums(300);
  const builder = new TreeBuilder();
  expect(builder.lastLeaf).toBeNull();
  for (const [i, checksum] of rows.entries()) {
    builder.append(checksum);
    if (i < 3 || i > 253) expect(hexOf(builder.lastLeaf ?? new Uint8Array())).toBe(hexOf(leafOf(rows[i] as string)));
  }
});
