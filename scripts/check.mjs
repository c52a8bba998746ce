// The steps of `npm run check`; all run, even after a failure.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { bin, node, ROOT } from "./run.mjs";

/** Top-level names known to git: other files are not part of the code. Empty without git. */
export function roots() {
  const git = ["-c", "safe.directory=*", "ls-files", "-z"];
  const { status, stdout } = spawnSync("git", git, { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 26 });
  const names = status === 0 ? new Set(stdout.split("\0").map((path) => path.split("/")[0])) : [];
  return [...names].filter((name) => name && existsSync(join(ROOT, name)));
}

/** Steps by name, each as arguments of node. */
export const STEPS = {
  "route types": [bin("next", "dist/bin/next"), "typegen"],
  lint: [bin("@biomejs/biome", "bin/biome"), "check", "--files-ignore-unknown=true", ...roots()],
  structure: [join(ROOT, "scripts", "structure.mjs")],
  words: [join(ROOT, "scripts", "plain-words.mjs")],
  unused: [bin("knip", "bin/knip.js")],
  types: [bin("typescript", "bin/tsc"), "--noEmit", "-p", "."],
};

/** Runs every step. @returns the highest exit code */
export async function runSteps(steps = Object.values(STEPS)) {
  let worst = 0;
  for (const step of steps) worst = Math.max(worst, await node(step));
  return worst;
}
