import { expect, it } from "vitest";
import { decodeCursor, encodeCursor } from "./rows";

const CURSOR = { ms: 1_795_200_028_551, seq: "9007199254740993", orgId: "0192f0a0-0000-7000-8000-00000000abcd" };

it("a cursor survives encoding and decoding", () => {
  expect(decodeCursor(encodeCursor(CURSOR))).toEqual(CURSOR);
});

it("rejects an altered, truncated or extended cursor and names the field", () => {
  const text = encodeCursor(CURSOR);
  const altered = [...text].flatMap((char, i) =>
    ["A", "z", "-", "_", "0"].filter((c) => c !== char).map((c) => text.slice(0, i) + c + text.slice(i + 1)),
  );
  const forged = [`1.1.${"-".repeat(36)}`, "1.1.", "", "\0", "1795200028551.1.0192f0a0-0000-7000-8000-00000000abcd"];
  const wrong = [
    ...altered,
    ...forged.map((plain) => Buffer.from(plain).toString("base64url")),
    text.slice(1),
    text.slice(0, -1),
    `${text}A`,
    `${text}=`,
    ` ${text}`,
    `${text.slice(0, 9)}\n${text.slice(9)}`,
  ];
  expect(wrong.length).toBeGreaterThan(400);
  for (const cursor of wrong)
    expect(() => decodeCursor(cursor), cursor).toThrow(
      expect.objectContaining({
        code: "validation_failed",
        extra: { errors: [expect.objectContaining({ path: "cursor" })] },
      }),
    );
});
