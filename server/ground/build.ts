import { readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "@/package.json";

/** As scripts/build.mjs wrote it beside the bundles: of TRAILMARK_COMMIT, or git's. */
function builtCommit(): string {
  try {
    return readFileSync(join(process.cwd(), "dist", "commit"), "utf8").trim();
  } catch {
    return "";
  }
}

/** The program that runs: its version, and the commit it was built from. */
export const BUILD = { version, commit: builtCommit() || "unknown" } as const;

/** Both in one word, as semantic versions write it: 1.0.0+f29c83be. */
export const RELEASE = BUILD.commit === "unknown" ? version : `${version}+${BUILD.commit.slice(0, 12)}`;
