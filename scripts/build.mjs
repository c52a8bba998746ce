import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { writeManifest } from "./manifest.mjs";
import { bin, LaunchError, node, ROOT } from "./run.mjs";
import { threadEntries, writeWhole } from "./threads.mjs";

/** esbuild's bundles: dist/NAME.mjs from a source file. */
const ENTRIES = {
  server: "server/run/process/main.ts",
  trailmark: "server/run/cli/main.ts",
  witness: "server/run/cli/witness-main.ts",
  agent: "agent/main.ts",
  demo: "scripts/demo/main.ts",
  bench: "bench/main.ts",
  torture: "bench/torture/main.ts",
  cluster: "bench/cluster/main.ts",
};
const DIST = join(ROOT, "dist");
const EMPTY = join(ROOT, "server", "run", "process", "empty.ts");
/**
 * Options of every bundle: for Node, packages external.
 * @type {import("esbuild").BuildOptions}
 */
export const BUNDLE = {
  absWorkingDir: ROOT,
  outdir: "dist",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  jsx: "automatic",
  packages: "external",
  alias: { "server-only": EMPTY },
  sourcemap: "linked",
  sourcesContent: false,
  logLevel: "warning",
};
const CONFIG = ["package-lock.json", "tsconfig.json", "next.config.mjs", "postcss.config.mjs", "scripts/build.mjs"];
const isSource = (name) =>
  !/\.test\.tsx?$/.test(name) && /\.(tsx?|mjs|css|html|json|svg|png|ico|woff2|js|md)$/.test(name);

function filesBelow(folder) {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isSource(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

/** One hash over names and contents, because a checkout changes mtimes. */
function hashOf(folders) {
  const hash = createHash("sha256").update(process.versions.node.split(".")[0]);
  const files = [...CONFIG, ...folders.flatMap(filesBelow)].filter((file) => existsSync(join(ROOT, file))).sort();
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update("\0");
  return hash.digest("hex");
}

function holderOf(lock) {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    process.kill(pid, 0);
    return pid;
  } catch {
    return 0;
  }
}

/** One build at a time per checkout; ignores the lock of a killed process. */
async function alone(work) {
  mkdirSync(DIST, { recursive: true });
  const lock = join(DIST, ".building");
  for (let isWaiting = false; ; isWaiting = true) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (holderOf(lock) === 0) rmSync(lock, { force: true });
    else if (!isWaiting) process.stdout.write("Waiting for another build in this checkout …\n");
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Runs work only if the sources changed since the last success. */
function whenChanged({ name, folders, output }, work) {
  return alone(async () => {
    writeManifest();
    const stamp = join(DIST, `.${name}.sha256`);
    const hash = hashOf(folders);
    if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
    rmSync(stamp, { force: true });
    await work();
    writeFileSync(stamp, hash);
  });
}

/** API reference: our page and the renderer's bundle for browsers. */
function copyReference() {
  const scalar = fileURLToPath(import.meta.resolve("@scalar/fastify-api-reference"));
  cpSync(join(ROOT, "components", "docs"), join(DIST, "docs"), { recursive: true });
  cpSync(join(dirname(scalar), "js", "standalone.js"), join(DIST, "docs", "scalar.js"));
}

/** Commit of the checkout, for server/ground/build.ts. */
function writeCommit() {
  const { stdout } = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  mkdirSync(DIST, { recursive: true });
  writeFileSync(join(DIST, "commit"), process.env.TRAILMARK_COMMIT || stdout || "");
}

/** Bundles server, command line, agent, other existing sources and both static pages into dist/. */
export function buildBundles() {
  const folders = ["app", "server", "db", "components", "agent", "bench", "testing", "scripts"];
  writeCommit();
  return whenChanged({ name: "bundles", folders, output: join(DIST, "server.mjs") }, async () => {
    const { build } = await import("esbuild");
    const { outputFiles } = await build({
      ...BUNDLE,
      write: false,
      entryPoints: Object.entries({ ...ENTRIES, ...threadEntries(ROOT) })
        .filter(([, source]) => existsSync(join(ROOT, source)))
        .map(([out, source]) => ({ in: source, out })),
    }).catch(() => {
      throw new LaunchError("The server bundle cannot be built; see above.");
    });
    writeWhole(outputFiles);
    chmodSync(join(DIST, "server.mjs"), 0o755);
    const { proofPages } = await import("./proof-pages.mjs");
    for (const [name, text] of Object.entries(await proofPages(ROOT))) writeFileSync(join(DIST, name), text);
    copyReference();
  });
}

export function buildNext() {
  const folders = ["app", "components", "server", "public"];
  return whenChanged({ name: "next", folders, output: join(ROOT, ".next", "BUILD_ID") }, async () => {
    process.stdout.write("Building the web interface …\n");
    const code = await node([bin("next", "dist/bin/next"), "build"], { env: { NODE_ENV: "production" } });
    if (code !== 0) throw new LaunchError(`The web interface cannot be built (${code}); see above.`);
  });
}

/** Writes the list of route files before bundling, also after one is added or removed. */
const freshManifest = {
  name: "manifest",
  setup({ onLoad }) {
    onLoad({ filter: /routes\.generated\.ts$/ }, ({ path }) => {
      const watchDirs = writeManifest();
      return { contents: readFileSync(path), loader: "ts", watchDirs };
    });
  },
};

/**
 * Bundles an entry now and after each change of its sources, and reports each success with a fresh module address.
 * @returns a function that ends the watch.
 */
export async function watchBundle({ name, source, onBuilt }) {
  const { context } = await import("esbuild");
  let builds = 0;
  const report = {
    name: "report",
    setup: ({ onEnd }) =>
      onEnd(({ errors }) => {
        if (errors.length === 0) onBuilt(`${pathToFileURL(join(DIST, `${name}.mjs`))}?${++builds}`);
      }),
  };
  const watched = await context({
    ...BUNDLE,
    entryPoints: [{ in: source, out: name }],
    plugins: [freshManifest, report],
  });
  await watched.watch();
  return () => watched.dispose();
}
