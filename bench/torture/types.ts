export type Outcome = { tried: number; failed: number; detail: string };
export type LineInput = { rounds: number; random: () => number };

/** One row of the torture table. */
export type Line = { id: string; title: string; run: (input: LineInput) => Promise<Outcome> };
