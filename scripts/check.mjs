// The steps of `npm run check`: each fails on a rule that is broken, and none keeps the others from running.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { bin, node, ROOT } from "./run.mjs";

/** The names that git knows in the root: other files there are no part of the code. Empty where there is no git. */
export function roots() {
  const git = ["-c", "safe.directory=*", "ls-files", "-z"];
  const { status, stdout } = spawnSync("git", git, { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 26 });
  const names = status === 0 ? new Set(stdout.split("\0").map((path) => path.split("/")[0])) : [];
  return [...names].filter((name) => name && existsSync(join(ROOT, name)));
}

/** The steps by name, each as arguments of node. */
export const STEPS = {
  "route types": [bin("next", "dist/bin/next"), "typegen"],
  lint: [bin("@biomejs/biome", "bin/biome"), "check", "--files-ignore-unknown=true", ...roots()],
  structure: [join(ROOT, "scripts", "structure.mjs")],
  words: [join(ROOT, "scripts", "plain-words.mjs")],
  unused: [bin("knip", "bin/knip.js")],
  types: [bin("typescript", "bin/tsc"), "--noEmit", "-p", "."],
};

/** Runs every step. @returns the largest of their exit codes */
export async function runSteps(steps = Object.values(STEPS)) {
  let worst = 0;
  for (const step of steps) worst = Math.max(worst, await node(step));
  return worst;
}
