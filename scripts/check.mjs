// What `npm run check` runs: each step fails on a rule that is broken, and none keeps the others from running.
import { join } from "node:path";
import { bin, node, ROOT } from "./run.mjs";

/** The steps by name, each as arguments of node. */
export const STEPS = {
  "route types": [bin("next", "dist/bin/next"), "typegen"],
  lint: [bin("@biomejs/biome", "bin/biome"), "check", "."],
  structure: [join(ROOT, "scripts", "structure.mjs")],
  unused: [bin("knip", "bin/knip.js")],
  types: [bin("typescript", "bin/tsc"), "--noEmit", "-p", "."],
};

/** Runs every step. @returns the largest of their exit codes */
export async function runSteps(steps = Object.values(STEPS)) {
  let worst = 0;
  for (const step of steps) worst = Math.max(worst, await node(step));
  return worst;
}
