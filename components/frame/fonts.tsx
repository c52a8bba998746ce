import { preload } from "react-dom";

/** The characters of nearly every page; other subsets load when a text needs them. */
const LATIN = new URL(
  "../../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  import.meta.url,
);

/** Preloads the font with the page, so that lines do not break again when it arrives. */
export function Fonts() {
  preload(LATIN.href, { as: "font", type: "font/woff2", crossOrigin: "anonymous" });
  return null;
}
