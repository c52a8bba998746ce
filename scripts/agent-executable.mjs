import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { build } from "esbuild";
import { inject } from "postject";
import { LaunchError, ROOT, run } from "./run.mjs";

/** Marks Node with an embedded program (nodejs.org/api/single-executable-applications.html). */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/**
 * Bundles the agent and its packages as one CommonJS file, as required by executables.
 * @returns its input files
 */
export async function bundleAgent(outfile) {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: ROOT,
    entryPoints: ["agent/main.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    legalComments: "eof",
    logLevel: "warning",
  });
  return Object.keys(metafile.inputs);
}

/** Like other programs: uses the machine's certificate store and the environment's proxy. */
const NODE_OPTIONS = ["--use-system-ca", "--use-env-proxy"];

/** Prepares a bundle for executables with `node`'s version of Node, on any platform. */
export async function createBlob({ node, bundle, blob }) {
  const config = `${blob}.json`;
  const settings = {
    main: bundle,
    output: blob,
    disableExperimentalSEAWarning: true,
    execArgv: NODE_OPTIONS,
    execArgvExtension: "none",
  };
  writeFileSync(config, JSON.stringify(settings));
  const code = await run(node, ["--experimental-sea-config", config], { stdio: ["ignore", "ignore", "inherit"] });
  if (code !== 0) throw new LaunchError(`${node} cannot prepare the agent (${code}); see above.`);
}

/** A copy of `node` that contains the agent. */
export async function createExecutable({ node, blob, file }) {
  copyFileSync(node, file);
  chmodSync(file, 0o755);
  await inject(file, "NODE_SEA_BLOB", readFileSync(blob), { sentinelFuse: FUSE });
}

const ENDINGS = { node: ".cjs", licenses: ".txt" };
const endingOf = (platform) => ENDINGS[platform] ?? (platform.startsWith("win") ? ".exe" : "");

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const compress = promisify(gzip);

/**
 * Compresses a program for download.
 * @returns its manifest entry: digests of the download and the program
 */
export async function publish({ platform, file, folder, level = 9 }) {
  const program = readFileSync(file);
  const packed = await compress(program, { level });
  const name = `trailmark-agent-${platform}${endingOf(platform)}.gz`;
  writeFileSync(join(folder, name), packed);
  return {
    platform,
    file: name,
    bytes: packed.length,
    sha256: sha256(packed),
    programBytes: program.length,
    programSha256: sha256(program),
  };
}
