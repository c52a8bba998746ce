import { preload } from "react-dom";

/** The letters of nearly every page; other files come when a text asks for theirs. */
const LATIN = new URL(
  "../../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  import.meta.url,
);

/** Asks for the font with the page itself: lines break once, in the letters that stay. */
export function Fonts() {
  preload(LATIN.href, { as: "font", type: "font/woff2", crossOrigin: "anonymous" });
  return null;
}
