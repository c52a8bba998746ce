/** The number of checkpoints on the page, shared with its prefetch. */
export const SHOWN_CHECKPOINTS = 10;
