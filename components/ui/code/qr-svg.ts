import { encode } from "uqr";

/** Modules of quiet zone that the standard asks for around the code. */
const QUIET = 4;

/** A text as a QR code: its dark modules as one SVG path in a square of so many modules. */
export function qrPath(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { ecc: "M", border: QUIET });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { path: dark.join(""), size };
}

/** The same as the text of an SVG file: dark on white in either colour scheme, since cameras expect that. */
export function qrSvg(text: string): string {
  const { path, size } = qrPath(text);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`;
}
