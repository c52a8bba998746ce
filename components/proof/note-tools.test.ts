import { ed25519 } from "@noble/curves/ed25519.js";
import { describe, expect, it } from "vitest";
import { ED25519, formatVerifierKey, keyIdOf, parseVerifierKey } from "@/server/evidence/tree/signed-note";
import { noteTools, testKey } from "@/testing/notes";
import { browserNoteTools } from "./note-tools";

const { key, sign } = testKey(1, "trailmark.example", ED25519);
const MESSAGE = Buffer.from("trailmark");
/** Made by the key's holder, who added a point of order eight to R: valid only under cofactored verification. */
const MIXED = Buffer.from(
  "837b2a7c0f9a96124c0a1288209aabb4d8296b74b0f4d34890cc227bec4df8e60f9f3a68dcc17c8650a312ce2f9d17ad7ff56694804f9f07fa72ecc7d49ea005",
  "hex",
);

describe("signature verification in the browser", () => {
  it("agrees with Node on valid, altered, too long, too short and out-of-range signatures", () => {
    const good = sign(MESSAGE);
    const beyond = Uint8Array.from(good);
    beyond.fill(0xff, 32);
    const cases = [good, good.map((byte, i) => (i === 5 ? byte ^ 1 : byte)), good.slice(1), [...good, 0], beyond, []];
    const signatures = cases.map((bytes) => Uint8Array.from(bytes));
    const found = signatures.map((bytes) => browserNoteTools.verify(key.publicKey, MESSAGE, bytes));
    expect(found).toEqual(signatures.map((bytes) => noteTools.verify(key.publicKey, MESSAGE, bytes)));
    expect(found).toEqual([true, false, false, false, false, false]);
  });

  it("rejects, like Node, a signature that is valid only with a cofactor", () => {
    expect(ed25519.verify(MIXED, MESSAGE, key.publicKey, { zip215: false })).toBe(true);
    for (const tools of [noteTools, browserNoteTools]) expect(tools.verify(key.publicKey, MESSAGE, MIXED)).toBe(false);
  });

  it("rejects an invalid point", () => {
    expect(
      browserNoteTools.verify(
        Uint8Array.from({ length: 32 }, () => 2),
        MESSAGE,
        sign(MESSAGE),
      ),
    ).toBe(false);
  });
});

it("rejects verifier keys of small order", () => {
  const identity = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0));
  const forged = Uint8Array.from({ length: 64 }, (_, i) => (i === 0 ? 1 : 0));
  expect(noteTools.verify(identity, MESSAGE, forged)).toBe(true);
  const named = { name: "trailmark.example", type: ED25519, publicKey: identity };
  const text = formatVerifierKey({ ...named, id: keyIdOf(noteTools.sha256, named) });
  expect(parseVerifierKey(noteTools.sha256, text)).toBeNull();
});
