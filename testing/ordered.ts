import { TestRunner } from "vitest";

/**
 * Tests whose number of cases the torture suite sets (bench/torture/tests.ts): few in every run, TORTURE_CASES from
 * TORTURE_SEED in torture.
 */

declare module "vitest" {
  interface TaskMeta {
    /** Cases tried by a test, and the result of its control. */
    tried?: number;
    control?: string;
  }
}

/** True in a run of the torture suite: such a test has no time limit. */
export const isOrdered = process.env.TORTURE_CASES !== undefined;

/** @param few number of cases in ordinary runs */
export const orderedCases = (few: number): number => Number(process.env.TORTURE_CASES ?? few);

/** Settings of a property: number of runs, and seed. */
export const orderedRuns = (few: number): { numRuns: number; seed?: number } => ({
  numRuns: orderedCases(few),
  ...(process.env.TORTURE_SEED && { seed: Number(process.env.TORTURE_SEED) }),
});

/** Reports to the torture suite the cases tried by the running test, and the result of its control. */
export function reportCases(tried: number, control?: string): void {
  const meta = TestRunner.getCurrentTest()?.meta;
  if (meta) Object.assign(meta, { tried: (meta.tried ?? 0) + tried, ...(control && { control }) });
}
