import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LaunchError, ROOT, run } from "./run.mjs";

const packagesOf = (file) => JSON.parse(readFileSync(file, "utf8")).packages;

/** Compares npm's record of the installation with the lock file, which also detects an interrupted install. */
function isInstalled(omit) {
  const written = join(ROOT, "node_modules", ".package-lock.json");
  if (!existsSync(written)) return false;
  const wanted = packagesOf(join(ROOT, "package-lock.json"));
  const found = packagesOf(written);
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === "" ||
      (found[path]
        ? found[path].version === entry.version
        : entry.optional || entry.devOptional || (entry.dev && omit === "dev")),
  );
}

/**
 * Runs `npm ci` when node_modules is missing or differs from the lock file.
 * @param omit "dev" for a build without tests
 */
export async function install(omit = "none") {
  if (isInstalled(omit)) return;
  process.stdout.write("Installing packages …\n");
  const args = ["ci", omit === "dev" ? "--omit=dev" : "--include=dev", "--no-audit", "--no-fund"];
  // npm passes its own path to children; without npm, PATH is searched.
  const npm = process.env.npm_execpath;
  const code = npm?.endsWith("npm-cli.js")
    ? await run(process.execPath, [npm, ...args])
    : await run("npm", args, { shell: process.platform === "win32" });
  if (code !== 0) throw new LaunchError(`npm ci failed (${code}); Trailmark cannot start without its packages.`);
}
