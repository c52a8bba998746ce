/** Every row is read anew within so many nights. */
export const ROLLING_NIGHTS = 30;

/**
 * The part of the rows verified earlier that tonight reads again: a thirtieth, going on where the last night stopped
 * and beginning anew at the end.
 * @param pruned the last sequence that retention removed
 * @param verified the last sequence verified before tonight, which tonight's new rows are linked to and so reads anyway
 * @param rolling the last sequence read again so far
 */
export function rollingRange(
  pruned: number,
  verified: number,
  rolling: number,
): { first: number; last: number } | null {
  const earliest = pruned + 1;
  const latest = verified - 1;
  if (latest < earliest) return null;
  const size = Math.ceil((latest - earliest + 1) / ROLLING_NIGHTS);
  const first = rolling + 1 > latest || rolling + 1 < earliest ? earliest : rolling + 1;
  return { first, last: Math.min(first + size - 1, latest) };
}
