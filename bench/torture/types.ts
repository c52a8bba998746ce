/** `skipped`: nothing was tried, because this machine lacks what the detail says. */
export type Outcome = { tried: number; failed: number; detail: string; skipped?: true };
export type LineInput = {
  rounds: number;
  random: () => number;
  /** How long a line goes on that is measured in time, or that has too many cases for one sitting. */
  minutes: number;
  /** Says what is being done, for the message about a line that hangs. */
  progress: (what: string) => void;
};

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
