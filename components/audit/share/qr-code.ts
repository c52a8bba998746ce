import encodeQr from "qr";

/** Modules of quiet zone that the standard asks for around the code. */
const QUIET = 4;

/** A QR code as the text of an SVG: dark modules as one path, on white whatever the colour scheme. */
export function qrSvg(text: string): string {
  const modules = encodeQr(text, "raw", { ecc: "medium", border: QUIET });
  const path = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  const size = modules.length;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path.join("")}"/></svg>`;
}
