/** Calls per request; the browser splits larger batches. */
export const MAX_BATCH_CALLS = 20;
