import fc from "fast-check";
import { brokenLaw, withLaws } from "@/testing/import/reader";
import type { Line } from "./types";

/** F3, import: file reader and header matcher on generated content; a round is a thousand cases of each. */
export const importLawLine: Line = {
  id: "F3-import",
  title: "the import's file reader and header matcher on generated files and headers",
  run: ({ rounds, random }) =>
    withLaws(async (laws) => {
      const seed = Math.floor(random() * 0x7fffffff);
      const found: string[] = [];
      let [tried, failed] = [0, 0];
      for (const { name, property } of laws) {
        const details = await fc.check(property, { numRuns: rounds * 1_000, seed });
        tried += details.numRuns;
        if (details.failed) failed++;
        found.push(`${name}: ${details.numRuns} cases${details.failed ? `, FAILED on ${details.counterexample}` : ""}`);
      }
      const control = await fc.check(brokenLaw(), { numRuns: 1_000, seed });
      found.push(`control, a reader that knows no quotes: found out after ${control.numRuns} cases`);
      if (!control.failed) failed++;
      return { tried, failed, detail: found.join("; ") };
    }),
};
