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

/** A run of a line or of its control, in which something is broken. `caught`: how much of that was found. */
export type Found = Outcome & { caught: number };
type Controlled = {
  id: string;
  title: string;
  /** Title of the control: the broken part, and what must follow. */
  control: string;
  /** Rounds of the control, where one proves as much as many. */
  controlRounds?: number;
  run: (input: LineInput, isBroken: boolean) => Promise<Found>;
};

/** A line, and the control without which the line's zero means nothing: it fails where what is broken is not caught. */
export const controlled = ({ id, title, control, controlRounds, run }: Controlled): [Line, Line] => [
  {
    id,
    title,
    run: async (input) => {
      const { caught: _, ...outcome } = await run(input, false);
      return { ...outcome, failed: outcome.tried === 0 ? 1 : outcome.failed };
    },
  },
  {
    id: `${id}-control`,
    title: `control: ${control}`,
    run: async (input) => {
      const { caught, ...outcome } = await run({ ...input, rounds: controlRounds ?? input.rounds }, true);
      return { ...outcome, failed: caught > 0 ? 0 : 1 };
    },
  },
];

/** Faults of a kind in a row, each with its number. */
export const listed = (found: object): string =>
  Object.entries(found)
    .map(([name, figure]) => `${name} ${figure}`)
    .join(", ");

/** The outcome of a job that was killed again and again; its control catches any fault. */
export const fought = (kills: number, faults: string[], summary: string): Found => ({
  ...{ tried: kills, failed: faults.length, caught: faults.length },
  detail: [`${kills} kills, ${summary}`, ...new Set(faults)].join("; "),
});
