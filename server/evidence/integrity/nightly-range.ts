import { DAY_MS } from "@/server/ground/time/durations";

/** Every row is read again within this many nights. */
export const ROLLING_NIGHTS = 30;

/** Part to read again in a night, the night's number in its round, and the start of the round. */
export type Slice = { first: number; last: number; night: number; beganAt: Date; endsRound: boolean };

export type Round = {
  /** Last pruned sequence. */
  pruned: number;
  /** Last sequence verified before tonight; new rows link to it, so it is read anyway. */
  verified: number;
  /** Part read last night. */
  before: Slice | null;
};

/**
 * Part of the verified rows to read again tonight. Continues where the last night stopped, and is sized to finish the
 * round in its remaining nights even if nights were missed or the chain grew; after the end a new round starts.
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
