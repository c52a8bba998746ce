/** Calls that one request may carry; the browser splits what is more. */
export const MAX_BATCH_CALLS = 20;
