/** How many checkpoints the page lists; its prefetch asks for as many. */
export const SHOWN_CHECKPOINTS = 10;
