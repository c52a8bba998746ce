import { readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "@/package.json";

/** Written by scripts/build.mjs beside the bundles, from TRAILMARK_COMMIT or git. */
function builtCommit(): string {
  try {
    return readFileSync(join(process.cwd(), "dist", "commit"), "utf8").trim();
  } catch {
    return "";
  }
}

/** Version and commit of the running program. */
export const BUILD = { version, commit: builtCommit() || "unknown" } as const;

/** Version and commit in semantic versioning form: 1.0.0+f29c83be. */
export const RELEASE = BUILD.commit === "unknown" ? version : `${version}+${BUILD.commit.slice(0, 12)}`;
