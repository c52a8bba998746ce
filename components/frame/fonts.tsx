import { preload } from "react-dom";

/** The Latin subset; other subsets load when a text needs them. */
const LATIN = new URL(
  "../../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  import.meta.url,
);

/** Preloads the font, so that text does not reflow when it arrives. */
export function Fonts() {
  preload(LATIN.href, { as: "font", type: "font/woff2", crossOrigin: "anonymous" });
  return null;
}
