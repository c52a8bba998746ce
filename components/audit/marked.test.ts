import { expect, test } from "vitest";
import { markedPieces } from "./marked";

const matches = (text: string, words: string[]) =>
  markedPieces(text, words)
    .map((piece) => (piece.isMatch ? `[${piece.text}]` : piece.text))
    .join("");

test("every word is marked wherever it stands, in any case, signs taken as they are", () => {
  expect(matches("Antivirus disabled on CDG-WS-008", ["antivirus", "ws-008"])).toBe(
    "[Antivirus] disabled on CDG-[WS-008]",
  );
  expect(matches("a.b(c)", [".", "("])).toBe("a[.]b[(]c)");
  expect(matches("plain", [])).toBe("plain");
});

test("of two words that begin alike the longer one is marked", () => {
  expect(matches("device.create", ["device", "device.create"])).toBe("[device.create]");
});
