export type Outcome = { tried: number; failed: number; detail: string };
export type LineInput = {
  rounds: number;
  random: () => number;
  /** Says what is being done, for the message about a line that hangs. */
  progress: (what: string) => void;
};

/** One row of the torture table. */
export type Line = { id: string; title: string; run: (input: LineInput) => Promise<Outcome> };
