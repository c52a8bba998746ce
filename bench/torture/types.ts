/** `skipped`: nothing was tried, because this machine lacks what the detail says. */
export type Outcome = { tried: number; failed: number; detail: string; skipped?: true };
export type LineInput = {
  rounds: number;
  random: () => number;
  /** How long a line runs that is measured in time, or that has too many cases for one sitting. */
  minutes: number;
  /** Says what is being done, for the message about a line that hangs. */
  progress: (what: string) => void;
};

/** How often a quick run does what was too slow, before that counts. */
export const QUICK_TRIES = 3;

/**
 * How many rounds were too slow, as far as they count. A full run has the machine for itself, and each counts. A quick one is
 * run beside other work, which can keep any round waiting: a product that is itself slow is slow in all of them.
 * @param faults what was too slow, round by round
 */
export function countLate(faults: readonly (readonly string[])[], isFull: boolean): number {
  if (!isFull && faults.some((round) => round.length === 0)) return 0;
  return faults.flat().length;
}

/** One row of the torture table. */
export type Line = { id: string; title: string; run: (input: LineInput) => Promise<Outcome> };

/** The same line where the machine has what it needs; elsewhere it says what is missing, and counts as skipped. */
export const needing = (lacks: () => string | null, line: Line): Line => ({
  ...line,
  run: async (input) => {
    const missing = lacks();
    return missing === null ? line.run(input) : { tried: 0, failed: 0, skipped: true, detail: missing };
  },
});
