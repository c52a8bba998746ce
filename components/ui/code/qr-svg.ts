import { encode } from "uqr";

/** The width of the quiet zone that the standard requires around the code. */
const QUIET_ZONE = 4;

/** A text as a QR code: its dark modules as one SVG path, and the size of the square. */
export function qrPath(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { path: dark.join(""), size };
}

/** A QR code as an SVG file; dark on white in both color schemes, because scanners expect that. */
export function qrSvg(text: string): string {
  const { path, size } = qrPath(text);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`;
}
