import { expect, test } from "vitest";
import { markedPieces } from "./marked";

const matches = (text: string, words: string[]) =>
  markedPieces(text, words)
    .map((piece) => (piece.isMatch ? `[${piece.text}]` : piece.text))
    .join("");

test("marks every word anywhere, in any case, with special characters taken literally", () => {
  expect(matches("Antivirus disabled on CDG-WS-008", ["antivirus", "ws-008"])).toBe(
    "[Antivirus] disabled on CDG-[WS-008]",
  );
  expect(matches("a.b(c)", [".", "("])).toBe("a[.]b[(]c)");
  expect(matches("plain", [])).toBe("plain");
});

test("prefers the longer of two words with the same prefix", () => {
  expect(matches("device.create", ["device", "device.create"])).toBe("[device.create]");
});
