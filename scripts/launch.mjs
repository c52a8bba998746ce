// Commands of package.json. Plain JavaScript on Node's own modules, because nothing is installed yet.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { install } from "./install.mjs";
import { untilPortIsFree } from "./port.mjs";
import { node, program, ROOT } from "./run.mjs";

const dist = (name) => join(ROOT, "dist", `${name}.mjs`);
const serve = { env: { NODE_ENV: process.env.NODE_ENV ?? "production" }, tied: true };

/** Installs and builds what a command needs; "bundles" omits Next's production build, omit "dev" the test tools. */
async function prepare(what, omit = "dev") {
  await install(omit);
  const { buildBundles, buildNext } = await import("./build.mjs");
  await buildBundles();
  if (what === "everything") await buildNext();
}

/** The server maps its own stacks (server/ground/readable-stack.ts); short-lived programs leave it to Node. */
async function runBundle(name, args, options = serve) {
  if (!existsSync(dist(name))) {
    process.stderr.write(`This version has no ${name} command.\n`);
    return 1;
  }
  return name === "server"
    ? program(dist(name), args, options)
    : node(["--enable-source-maps", dist(name), ...args], options);
}

/** The development server, which receives the rebuilt service after each source change. */
async function runWatched(args) {
  const { watchBundle } = await import("./build.mjs");
  let server;
  // The server already runs the first build.
  const onBuilt = (bundle) => server?.send({ bundle });
  const stop = await watchBundle({ name: "service", source: "server/run/process/service.ts", onBuilt });
  const onStart = (child) => {
    server = child;
  };
  const env = { NODE_ENV: "development", TRAILMARK_DEV: "1" };
  return runBundle("server", args, { env, tied: true, onStart }).finally(stop);
}

async function check() {
  await install();
  const { writeManifest } = await import("./manifest.mjs");
  writeManifest();
  const { runSteps } = await import("./check.mjs");
  return runSteps();
}

const commands = {
  start: async (args) => {
    await prepare("everything");
    await untilPortIsFree();
    return runBundle("server", args);
  },
  dev: async (args) => {
    await prepare("bundles");
    await untilPortIsFree();
    return runWatched(args);
  },
  demo: async (args) => prepare("everything").then(() => runBundle("demo", args)),
  build: async () => prepare("everything").then(() => 0),
  test: async (args) => {
    await install();
    const { test } = await import("./suites.mjs");
    return test(args, () => prepare("everything"));
  },
  check,
  bench: async (args) => prepare("everything", "none").then(() => runBundle("bench", args)),
  torture: async (args) => prepare("everything", "none").then(() => runBundle("torture", args)),
  cluster: async (args) => prepare("everything", "none").then(() => runBundle("cluster", args)),
  retention: async (args) => prepare("bundles").then(() => runBundle("trailmark", ["retention", ...args])),
  agent: async (args) => prepare("bundles").then(() => runBundle("agent", args)),
  "agent:build": async (args) => {
    await install();
    const { buildAgent } = await import("./agent-build.mjs");
    return buildAgent(args);
  },
  package: async (args) => {
    await prepare("everything", "none");
    const { makeRelease } = await import("./package.mjs");
    const { tarball, digest } = await makeRelease({ postgres: !args.includes("--without-postgres") });
    process.stdout.write(`${tarball}\nSHA-256 ${digest}\n`);
    return 0;
  },
  trailmark: async (args) => prepare("bundles").then(() => runBundle("trailmark", args)),
};

function refuseOldNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  process.stderr.write(`Trailmark needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

refuseOldNode();
const [name = "", ...args] = process.argv.slice(2);
if (!Object.hasOwn(commands, name)) {
  process.stderr.write(`Usage: node scripts/launch.mjs ${Object.keys(commands).join(" | ")}\n`);
  process.exit(2);
}
process.chdir(ROOT);
if (existsSync(join(ROOT, ".env"))) process.loadEnvFile(join(ROOT, ".env"));
process.env.NEXT_TELEMETRY_DISABLED ??= "1";
try {
  process.exitCode = await commands[name](args);
} catch (error) {
  process.stderr.write(`\n${error.expected ? error.message : error.stack}\n`);
  process.exitCode = 1;
}
