import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleAgent, createBlob, createExecutable, publish } from "./agent-executable.mjs";
import { licenseText } from "./agent-licenses.mjs";
import { fetchLicense, fetchRuntime, PLATFORMS, RUNTIME_VERSION } from "./agent-runtimes.mjs";
import { LaunchError, ROOT } from "./run.mjs";

const DIST = join(ROOT, "dist", "agent");
const RUNTIMES = join(ROOT, "dist", "agent-runtimes");

/** This machine's platform, whose Node prepares the agent for all. */
function ownPlatform() {
  const own = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  if (Object.hasOwn(PLATFORMS, own)) return own;
  throw new LaunchError(`Executables are built on ${Object.keys(PLATFORMS).join(", ")}; this is ${own}.`);
}

/**
 * Builds the agent for download into dist/agent: an executable per platform, the program alone for machines with Node,
 * all licenses, and manifest.json with version and digests. The folder is replaced only when complete.
 * @param chosen platforms instead of all
 * @returns the exit code
 */
export async function buildAgent(chosen) {
  const unknown = chosen.filter((name) => !Object.hasOwn(PLATFORMS, name));
  if (unknown.length > 0)
    throw new LaunchError(`No such platform: ${unknown.join(", ")}. There are ${Object.keys(PLATFORMS).join(", ")}.`);
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const draft = `${DIST}.new`;
  const work = `${DIST}.work`;
  for (const folder of [draft, work]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  const bundle = join(work, "agent.cjs");
  const blob = join(work, "agent.blob");
  const inputs = await bundleAgent(bundle);
  await createBlob({ node: await fetchRuntime(ownPlatform(), RUNTIMES), bundle, blob });
  const files = [];
  for (const platform of chosen.length > 0 ? chosen : Object.keys(PLATFORMS)) {
    const file = join(work, platform);
    await createExecutable({ node: await fetchRuntime(platform, RUNTIMES), blob, file });
    files.push(await publish({ platform, file, folder: draft }));
    rmSync(file);
  }
  files.push(await publish({ platform: "node", file: bundle, folder: draft }));
  const licenses = join(work, "LICENSES.txt");
  const node = await fetchLicense(RUNTIMES);
  writeFileSync(licenses, licenseText(inputs, { node, version: RUNTIME_VERSION }));
  const licenseFile = await publish({ platform: "licenses", file: licenses, folder: draft });
  const manifest = { version, node: RUNTIME_VERSION, files, licenses: licenseFile };
  writeFileSync(join(draft, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  rmSync(DIST, { recursive: true, force: true });
  renameSync(draft, DIST);
  rmSync(work, { recursive: true, force: true });
  for (const { file, bytes, programSha256 } of [...files, licenseFile])
    process.stdout.write(`${programSha256}  ${file} (${(bytes / 1e6).toFixed(1)} MB)\n`);
  return 0;
}
