import type { Line, LineInput, Outcome } from "@/bench/torture/types";

export type Fight = { kills: number; faults: string[]; summary: string };
/** `damage` simulates a partially applied job once, after the first kill. */
type Run = (input: LineInput, damage: boolean) => Promise<Fight>;

const outcome = ({ kills, faults, summary }: Fight, failed: number): Outcome => ({
  tried: kills,
  failed: kills === 0 ? 1 : failed,
  detail: [`${kills} kills, ${summary}`, ...new Set(faults)].join("; "),
});

/** A test and its control, which must detect the damage. */
export const killedJob = (job: { id: string; title: string; damage: string; run: Run }): Line[] => [
  {
    id: job.id,
    title: job.title,
    run: async (input) => {
      const found = await job.run(input, false);
      return outcome(found, found.faults.length);
    },
  },
  {
    id: `${job.id}-control`,
    title: `control: ${job.damage} must be detected`,
    run: async (input) => {
      const found = await job.run({ ...input, rounds: 1 }, true);
      return outcome(found, found.faults.length > 0 ? 0 : 1);
    },
  },
];
