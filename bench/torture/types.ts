/** `skipped`: nothing was tried, because this machine lacks what `detail` names. */
export type Outcome = { tried: number; failed: number; detail: string; skipped?: true };
export type LineInput = {
  rounds: number;
  random: () => number;
  /** Duration of a timed test, or of one with too many cases. */
  minutes: number;
  /** Reports the current step, for the message about a hung test. */
  progress: (what: string) => void;
};

/** Attempts of a quick run at something too slow. */
export const QUICK_TRIES = 3;

/**
 * Number of too slow rounds that count. In a full run each counts. A quick run shares the machine, which can delay any
 * round, but a slow product is slow in all of them.
 * @param faults slow steps, round by round
 */
export function countLate(faults: readonly (readonly string[])[], isFull: boolean): number {
  if (!isFull && faults.some((round) => round.length === 0)) return 0;
  return faults.flat().length;
}

/** A row of the torture table. */
export type Line = { id: string; title: string; run: (input: LineInput) => Promise<Outcome> };

/** Skips the test if the machine lacks its requirements, and names them. */
export const needing = (lacks: () => string | null, line: Line): Line => ({
  ...line,
  run: async (input) => {
    const missing = lacks();
    return missing === null ? line.run(input) : { tried: 0, failed: 0, skipped: true, detail: missing };
  },
});
