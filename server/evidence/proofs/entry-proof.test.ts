import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { ChainRow } from "@/server/audit/row";
import { canonicalPayload } from "@/server/evidence/chain/chain";
import { checkpointText, originOf } from "@/server/evidence/tree/statement";
import { inclusionProof, leafHash, type NodeId, nodeHash, rootOf } from "@/server/evidence/tree/tree";
import { rowOf as anyRow, ORG } from "@/testing/proofs/entry-proof";
import { checkEntryProof, type EntryProof, formatEntryProof, parseEntryProof, parsePayload } from "./entry-proof";

const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest();
const tools = { sha256 };

const rowOf = (seq: number, over: Partial<ChainRow> = {}) =>
  anyRow(seq, { resourceName: "Größe ✓ 😀", details: '{"a": 1.0}', ipAddress: "", ...over });
const bytesOf = canonicalPayload;
const ROWS = Array.from({ length: 11 }, (_, i) => rowOf(i + 1));
const LEAVES = ROWS.map((row) => leafHash(sha256, sha256(bytesOf(row))));
function node({ height, index }: NodeId): Uint8Array {
  if (height === 0) return LEAVES[index] as Uint8Array;
  const [left, right] = [
    node({ height: height - 1, index: 2 * index }),
    node({ height: height - 1, index: 2 * index + 1 }),
  ];
  return nodeHash(sha256, left, right);
}

function proofOf(index: number, size = LEAVES.length, orgId = ORG): EntryProof {
  const text = checkpointText({
    origin: originOf("trailmark.contoso.example", orgId),
    size,
    root: rootOf({ sha256, node }, 0, size),
    signedAt: "2026-11-20T14:06:00.000Z",
  });
  const signatures = [{ name: "trailmark.contoso.example", id: "00000000", bytes: Buffer.alloc(64) }];
  const payload = bytesOf(ROWS[index] as ChainRow);
  return { payload, index, path: inclusionProof({ sha256, node }, index, size), checkpoint: { text, signatures } };
}

it("proves each entry of a log and restores it from the proof", () => {
  for (let index = 0; index < LEAVES.length; index++) {
    const proof = parseEntryProof(formatEntryProof(proofOf(index)));
    expect(proof && checkEntryProof(tools, proof)).toMatchObject({ row: ROWS[index], checkpoint: { size: 11 } });
  }
});

it("names the mismatch for an entry at another position, organization or log", () => {
  const proof = proofOf(4);
  expect(checkEntryProof(tools, { ...proof, index: 5 })).toEqual({
    reason: "The entry says sequence 5, the proof speaks of sequence 6.",
  });
  expect(checkEntryProof(tools, proofOf(4, 11, "11111111-2222-4333-8444-555555555555"))).toEqual({
    reason: "The entry belongs to another organization than the checkpoint.",
  });
  const other = bytesOf(rowOf(5, { action: "device.delete" }));
  expect(checkEntryProof(tools, { ...proof, payload: other })).toEqual({
    reason: "The entry is not part of the log that the checkpoint names.",
  });
  expect(checkEntryProof(tools, { ...proof, checkpoint: { ...proof.checkpoint, text: "x\n" } })).toEqual({
    reason: "The proof holds no checkpoint of a Trailmark log.",
  });
});

it("rejects a change of any single bit of the entry or path", () => {
  const changes = fc.record({
    index: fc.nat({ max: 10 }),
    byte: fc.nat(),
    bit: fc.nat({ max: 7 }),
    inPath: fc.boolean(),
  });
  fc.assert(
    fc.property(changes, ({ index, byte, bit, inPath }) => {
      const proof = proofOf(index);
      const flip = (bytes: Uint8Array) => bytes.map((b, i) => (i === byte % bytes.length ? b ^ (1 << bit) : b));
      const at = byte % proof.path.length;
      const changed = inPath
        ? { ...proof, path: proof.path.map((hash, i) => (i === at ? flip(hash) : hash)) }
        : { ...proof, payload: flip(proof.payload) };
      expect(checkEntryProof(tools, changed)).toHaveProperty("reason");
    }),
  );
});

it("parses a payload only in its exact hashed form", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 40 });
  const maybe = fc.option(text, { nil: null });
  fc.assert(
    fc.property(
      fc.record({ actorEmail: maybe, resourceName: maybe, details: maybe, userAgent: maybe, action: text }),
      (over) => {
        const row = rowOf(3, over);
        fc.pre(Object.values(over).every((value) => value === null || Buffer.from(value).toString() === value));
        expect(parsePayload(bytesOf(row))).toEqual(row);
      },
    ),
  );
  const good = Buffer.from(bytesOf(rowOf(3))).toString("latin1");
  for (const wrong of ["", "v1;", `v2${good.slice(2)}`, `${good}x`, good.slice(0, -1), good.replace("64,", "064,")])
    expect(parsePayload(Buffer.from(wrong, "latin1")), wrong).toBeNull();
});

it("rejects a file of another format", () => {
  const text = formatEntryProof(proofOf(4));
  for (const wrong of [
    "",
    "null",
    text.replace("@v1", "@v2"),
    text.replace("index 4", "index 04"),
    text.replace("\n\n", "\n"),
    text.replace(/\nindex[\s\S]*?\n\n/, `\nindex 4\n${"AAAA\n".repeat(3)}\n`),
    text.replace(/\n\n/, `\n${`${"A".repeat(43)}=\n`.repeat(65)}\n`),
    text.slice(0, -3),
  ])
    expect(parseEntryProof(wrong), wrong.slice(0, 200)).toBeNull();
});
