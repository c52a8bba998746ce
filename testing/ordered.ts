import { TestRunner } from "vitest";

/**
 * Tests whose number of cases the torture suite orders (bench/torture/tests.ts): a few of them in every run, as many as
 * TORTURE_CASES says, from TORTURE_SEED on, when it runs them.
 */

declare module "vitest" {
  interface TaskMeta {
    /** How many cases a test tried, and what its control saw. */
    tried?: number;
    control?: string;
  }
}

/** True in a run that the torture suite ordered: such a test goes to its end, however long that takes. */
export const isOrdered = process.env.TORTURE_CASES !== undefined;

/** @param few how many cases are enough for every run */
export const orderedCases = (few: number): number => Number(process.env.TORTURE_CASES ?? few);

/** The settings of a property: how often it is tried, and from which seed on. */
export const orderedRuns = (few: number): { numRuns: number; seed?: number } => ({
  numRuns: orderedCases(few),
  ...(process.env.TORTURE_SEED && { seed: Number(process.env.TORTURE_SEED) }),
});

/** Reports to the torture suite how many cases the test that is running tried, and what its control saw. */
export function reportCases(tried: number, control?: string): void {
  const meta = TestRunner.getCurrentTest()?.meta;
  if (meta) Object.assign(meta, { tried: (meta.tried ?? 0) + tried, ...(control && { control }) });
}
