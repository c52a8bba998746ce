import decodeQr from "qr/decode.js";
import { expect, it } from "vitest";
import { qrSvg } from "./qr-svg";

const PIXELS = 4;

/** Renders the code as pixels, as a camera would see it. */
function photograph(svg: string): { width: number; height: number; data: Uint8Array } {
  const side = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]) * PIXELS;
  const data = new Uint8Array(side * side * 4).fill(255);
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let dy = 0; dy < PIXELS; dy++)
      for (let dx = 0; dx < PIXELS; dx++) {
        const at = ((Number(y) * PIXELS + dy) * side + Number(x) * PIXELS + dx) * 4;
        data.fill(0, at, at + 3);
      }
  return { width: side, height: side, data };
}

it("draws a code that decodes to the link", () => {
  const link = "https://audit.contoso.example/p/AbCdEfGhIjKlMnOpQrStUv";
  expect(decodeQr(photograph(qrSvg(link)))).toBe(link);
});
