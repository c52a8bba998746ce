import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testKey, noteTools as tools } from "@/testing/notes";
import {
  COSIGNATURE,
  checkCosignature,
  checkSignature,
  concatBytes,
  cosignedMessage,
  ED25519,
  formatNote,
  formatVerifierKey,
  fromBase64,
  keyForOrigin,
  parseNote,
  parseVerifierKey,
  secondsToBytes,
  type VerifierKey,
} from "./signed-note";
import {
  checkpointText,
  parseCheckpoint,
  parseReceipt,
  parseSeal,
  receiptText,
  sealText,
  timeOfSeconds,
} from "./statement";

const HOST = "trailmark.contoso.example";
const ORIGIN = `${HOST}/log/0b6f3a52-7c1e-4e0a-9d54-3f5a1c2b7e90`;
const log = testKey(1, ORIGIN, ED25519);
const installation = testKey(1, HOST, ED25519);
const witness = testKey(2, "witness.auditor.example", COSIGNATURE);

const CHECKPOINT = checkpointText({
  origin: ORIGIN,
  size: 7,
  root: fromBase64("BNgmx/TiWFj3xugjIPQdUduwX1VNn+ufS8J4V9AEwbw=") as Uint8Array,
  signedAt: "2026-11-20T14:06:00.000Z",
});
const RECEIPT = receiptText({
  origin: ORIGIN,
  through: 4,
  before: "2025-11-20T14:06:00.000Z",
  days: 30,
  policySeq: 9,
  signedAt: "2026-11-20T14:06:01.000Z",
});
const SEAL = sealText({ origin: ORIGIN, digest: tools.sha256(Buffer.from("everything before the end line\n")) });

const lineOf = (text: string): string => {
  const note = formatNote(text, [{ name: ORIGIN, id: log.key.id, bytes: log.sign(text) }]);
  return note.trimEnd().split(" ").at(-1) as string;
};

describe("published signature vectors", () => {
  it("match the verifier keys", () => {
    expect(formatVerifierKey(log.key)).toBe(`${ORIGIN}+24e942de+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c`);
    expect(formatVerifierKey(installation.key)).toBe(`${HOST}+49d704ea+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c`);
    expect(formatVerifierKey(witness.key)).toBe(
      "witness.auditor.example+716e015f+BIE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU",
    );
  });

  it("match the signatures of checkpoint, receipt and seal", () => {
    expect(CHECKPOINT.split("\n").slice(1)).toEqual([
      "7",
      "BNgmx/TiWFj3xugjIPQdUduwX1VNn+ufS8J4V9AEwbw=",
      "signed-at 2026-11-20T14:06:00.000Z",
      "",
    ]);
    expect(lineOf(CHECKPOINT)).toBe(
      "JOlC3uM6AD/Qf1nV6EqquAcwsOPziEdASNvj3B93Nkf71cThVbnRsJj8d2CqKsNDTkcGjHORo9VbRzr9yz5HXEUKaQQ=",
    );
    expect(lineOf(RECEIPT)).toBe(
      "JOlC3oCJ45uCPZf0HJqrIZ9JluxR2GJ+5lhISamlL3TXb/CJPJMLJ82v+GgcSZFpIW8vRoSsTao4y8JQCsjd2ruSsAc=",
    );
    expect(lineOf(SEAL)).toBe(
      "JOlC3sC9NDDeyPRo3wdBUeVqCExxUQnzD/j7Sgze8cpvkBrFW243udpZAkTlIfHgVmi5LX+fMyEMATeqWPAAB+NblAw=",
    );
  });

  it("accept the published cosignature at its time", () => {
    const blob = fromBase64(
      "cW4BXwAAAABrAFPKoaUf5lDZvBvSC//oB83Zp2ImSPscZSlZ67hCa2849vba+pCJYc0u3tbCDkS/O2VT1W1UcAG+8uqxIzsdJ2ITCg==",
    ) as Uint8Array;
    const note = {
      text: CHECKPOINT,
      signatures: [{ name: witness.key.name, id: witness.key.id, bytes: blob.slice(4) }],
    };
    expect(checkCosignature(tools, note, witness.key)).toEqual({ check: "good", seconds: 1795183562 });
    const mine = concatBytes(secondsToBytes(1795183562), witness.sign(cosignedMessage(CHECKPOINT, 1795183562)));
    expect(Buffer.from(mine)).toEqual(Buffer.from(blob.slice(4)));
  });
});

describe("a signed note", () => {
  const signature = { name: ORIGIN, id: log.key.id, bytes: log.sign(CHECKPOINT) };
  const NOTE = formatNote(CHECKPOINT, [signature]);

  it("survives a round trip and splits at its last empty line", () => {
    expect(parseNote(NOTE)).toEqual({
      text: CHECKPOINT,
      signatures: [{ ...signature, bytes: Uint8Array.from(signature.bytes) }],
    });
    const extended = `${CHECKPOINT}\nmore\n`;
    const note = parseNote(formatNote(extended, [{ ...signature, bytes: log.sign(extended) }]));
    expect(note?.text).toBe(extended);
    expect(note && checkSignature(tools, note, log.key)).toBe("good");
  });

  it("verifies under its organization's key and the installation's key", () => {
    const note = parseNote(NOTE) as NonNullable<ReturnType<typeof parseNote>>;
    const key = keyForOrigin(tools.sha256, installation.key, ORIGIN) as VerifierKey;
    expect(key.id).toBe("24e942de");
    expect(checkSignature(tools, note, key)).toBe("good");
    expect(keyForOrigin(tools.sha256, installation.key, `${HOST}.evil.example/log/x`)).toBeNull();
    expect(keyForOrigin(tools.sha256, log.key, `${HOST}/log/00000000-0000-4000-8000-000000000000`)).toBeNull();
    expect(checkSignature(tools, note, testKey(3, ORIGIN, ED25519).key)).toBe("absent");
  });

  it("is invalid with one bad signature of a known key beside a good one", () => {
    const bad = { ...signature, bytes: log.sign(RECEIPT) };
    for (const signatures of [[bad], [signature, bad], [bad, signature]]) {
      const note = parseNote(formatNote(CHECKPOINT, signatures)) as NonNullable<ReturnType<typeof parseNote>>;
      expect(checkSignature(tools, note, log.key)).toBe("bad");
    }
  });

  it("is cosigned if every line of the witness verifies, at the earliest time", () => {
    const at = (seconds: number, text = CHECKPOINT) => ({
      name: witness.key.name,
      id: witness.key.id,
      bytes: concatBytes(secondsToBytes(seconds), witness.sign(Buffer.from(cosignedMessage(text, seconds)))),
    });
    const noteOf = (...lines: ReturnType<typeof at>[]) =>
      parseNote(formatNote(CHECKPOINT, lines)) as NonNullable<ReturnType<typeof parseNote>>;
    expect(checkCosignature(tools, noteOf(at(20), at(10)), witness.key)).toEqual({ check: "good", seconds: 10 });
    const replayed = noteOf(at(20), at(10, RECEIPT));
    expect(checkCosignature(tools, replayed, witness.key)).toEqual({ check: "bad", seconds: null });
  });

  it("shows a cosignature's time as a calendar date", () => {
    const utc = (at: Date) => at.toUTCString();
    expect(timeOfSeconds(1_795_183_562)).toBe("2026-11-20T14:06:02.000Z");
    expect(timeOfSeconds(253_402_300_799, utc)).toBe("Fri, 31 Dec 9999 23:59:59 GMT");
  });

  it("is rejected if malformed", () => {
    for (const wrong of [
      NOTE.trimEnd(),
      NOTE.replace("\n\n", "\n"),
      NOTE.replace("7\n", "7\r\n"),
      NOTE.replace("\u2014", "-"),
      `${NOTE}not a signature\n`,
      `${NOTE}\n`,
      formatNote(
        CHECKPOINT,
        Array.from({ length: 17 }, () => signature),
      ),
      `${"x".repeat(65 * 1024)}${NOTE}`,
      `${NOTE.slice(0, -2)}\n`, // base64 without its padding
    ])
      expect(parseNote(wrong), JSON.stringify(wrong.slice(0, 300))).toBeNull();
  });

  it("fails verification after any single-character change", () => {
    fc.assert(
      fc.property(fc.nat({ max: CHECKPOINT.length - 2 }), fc.constantFrom("0", "A", "z", "/"), (at, char) => {
        fc.pre(CHECKPOINT[at] !== char && CHECKPOINT[at] !== "\n");
        const text = CHECKPOINT.slice(0, at) + char + CHECKPOINT.slice(at + 1);
        const note = parseNote(formatNote(text, [signature])) as NonNullable<ReturnType<typeof parseNote>>;
        expect(checkSignature(tools, note, log.key)).toBe("bad");
      }),
    );
  });
});

describe("verifier key", () => {
  it("is rejected if its ID is not the hash of its name and key", () => {
    const text = formatVerifierKey(log.key);
    expect(parseVerifierKey(tools.sha256, text)).toEqual({ ...log.key, publicKey: Uint8Array.from(log.key.publicKey) });
    const forged = formatVerifierKey({ ...testKey(3, ORIGIN, ED25519).key, id: log.key.id });
    for (const wrong of [forged, text.replace("24e942de", "24e942df"), text.slice(0, -4), "", "a+b+c", `${text}\n`])
      expect(parseVerifierKey(tools.sha256, wrong), wrong).toBeNull();
  });
});

describe("checkpoints, receipts and seals", () => {
  it("survive a round trip", () => {
    expect(parseCheckpoint(CHECKPOINT)).toMatchObject({ origin: ORIGIN, size: 7 });
    expect(parseCheckpoint(`${CHECKPOINT}more\n`)).toMatchObject({ size: 7 });
    expect(parseReceipt(RECEIPT)).toMatchObject({
      through: 4,
      days: 30,
      policySeq: 9,
      before: "2025-11-20T14:06:00.000Z",
    });
    expect(parseSeal(SEAL)).toMatchObject({ origin: ORIGIN });
  });

  it("are never mistaken for one another or for a version 1 checkpoint", () => {
    const v1 = CHECKPOINT.replace("/log/", "/audit/");
    for (const text of [RECEIPT, SEAL, v1, "", "\n\n\n\n"]) expect(parseCheckpoint(text)).toBeNull();
    for (const text of [
      CHECKPOINT,
      SEAL,
      v1,
      `${RECEIPT}more\n`,
      RECEIPT.replace("days 30", "days 030"),
      RECEIPT.replace("days 30", "days -1"),
    ])
      expect(parseReceipt(text)).toBeNull();
    for (const text of [CHECKPOINT, RECEIPT, `${SEAL}more\n`]) expect(parseSeal(text)).toBeNull();
    for (const size of ["-1", "07", "1e3", "9".repeat(16), ""])
      expect(parseCheckpoint(CHECKPOINT.replace("\n7\n", `\n${size}\n`)), size).toBeNull();
  });
});
