import { DAY_MS } from "@/server/ground/time/durations";

/** Every row is read again within so many nights. */
export const ROLLING_NIGHTS = 30;

/** The part that a night reads again, which night of its round that is, and when the round began. */
export type Slice = { first: number; last: number; night: number; beganAt: Date; endsRound: boolean };

export type Round = {
  /** The last sequence that retention removed. */
  pruned: number;
  /** The last sequence verified before tonight, which tonight's new rows are linked to and so reads anyway. */
  verified: number;
  /** What the last night read. */
  before: Slice | null;
};

/**
 * The part of the rows verified earlier that tonight reads again. It continues where the last night stopped and is as
 * large as the nights that are left of the round ask for, also when nights were missed or the chain has grown; behind
 * the end a new round begins.
 */
export function nextSlice({ pruned, verified, before }: Round, now: Date): Slice | null {
  const earliest = pruned + 1;
  const latest = verified - 1;
  if (latest < earliest) return null;
  const round = before && !before.endsRound && before.last < latest ? before : null;
  const first = Math.max((round?.last ?? 0) + 1, earliest);
  const beganAt = round?.beganAt ?? now;
  const passed = Math.max(round?.night ?? 0, Math.floor((now.getTime() - beganAt.getTime()) / DAY_MS));
  const size = Math.ceil((latest - first + 1) / Math.max(1, ROLLING_NIGHTS - passed));
  const last = Math.min(first + size - 1, latest);
  return { first, last, night: (round?.night ?? 0) + 1, beganAt, endsRound: last === latest };
}
