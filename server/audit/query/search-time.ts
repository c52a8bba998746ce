/**
 * For how long a request looks for rows, in ms. What it has not come to by then its answer says, or counts as many. Tests
 * that compare with every row raise them: how far a request comes in its time is the machine's.
 */
export const searchTime = {
  /** A short text, which no index serves: what an answer to it may take, less what comes before and after. */
  scan: 120,
  /** Facets and histogram. */
  counts: 400,
  /** Whether rows are so many that a recent proof of identity is needed. */
  proof: 2_000,
};
