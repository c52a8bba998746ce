import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { roots, runSteps } from "./check.mjs";
import { bin, node, ROOT, run } from "./run.mjs";

const RESULTS = join(ROOT, "dist", "results");
const fileOf = (suite) => join(RESULTS, `${suite}.json`);

function reportOf(suite) {
  try {
    return JSON.parse(readFileSync(fileOf(suite), "utf8"));
  } catch {
    return undefined;
  }
}

/** A runner that failed without a failed test (broken set-up, crash) counts as one failure. */
const outcomeOf = ({ suite, code, passed, failures }) => ({
  passed,
  failures: code !== 0 && failures.length === 0 ? [`${suite} ended with exit code ${code}`] : failures,
});

/** Failures with the first lines of each reason: only the end of a log is kept. */
const failureOf = (name, message = "") => [name, ...message.split("\n").slice(0, 12)].join("\n    ").trimEnd();

const failuresOfVitest = ({ testResults = [] } = {}) =>
  testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(ROOT, name);
    if (status === "failed" && assertionResults.length === 0) return [failureOf(file, message)];
    const failed = assertionResults.filter((test) => test.status === "failed");
    return failed.map((test) => failureOf(`${file} › ${test.fullName}`, test.failureMessages[0]));
  });

const failuresOfPlaywright = ({ suites = [], specs = [], errors = [] } = {}) => [
  ...errors.map((error) => failureOf("playwright", error.message)),
  ...suites.flatMap((suite) => failuresOfPlaywright({ ...suite, errors: [] })),
  ...specs.flatMap(({ file, title, tests }) =>
    tests
      .filter((test) => test.status === "unexpected" || test.status === "flaky")
      .map(({ results }) => failureOf(`${file} › ${title}`, results[0]?.error?.message)),
  ),
];

async function vitest({ project, shard }, args) {
  const suite = ["vitest", project, ...(shard ? [shard] : [])].join("-");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${fileOf(suite)}`];
  const part = shard ? [`--shard=${shard}/${DATABASES}`] : [];
  const none = args.length > 0 ? ["--passWithNoTests"] : [];
  const options = ["--project", `${project}*`, ...part, ...none, ...reporters, ...args];
  const code = await node([bin("vitest", "vitest.mjs"), "run", ...options]);
  const report = reportOf(suite);
  return outcomeOf({ suite, code, passed: report?.numPassedTests ?? 0, failures: failuresOfVitest(report) });
}

/** Number of databases used in parallel: test files that share one take turns and mostly wait. */
const DATABASES = 2;

/** Runs database tests in parallel; with one given database, or few named files, in a single one. */
function databases(args) {
  const isOne = args.length > 0 || Boolean(process.env.TEST_OWNER_DATABASE_URL);
  const shards = Array.from({ length: isOne ? 1 : DATABASES }, (_, i) => (isOne ? undefined : i + 1));
  return shards.map((shard) => vitest({ project: "database", shard }, args));
}

async function playwright(args) {
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: fileOf("playwright") };
  const code = await node([bin("playwright", "cli.js"), "test", "--reporter=list,json", ...args], { env });
  const report = reportOf("playwright");
  const failures = failuresOfPlaywright(report);
  return outcomeOf({ suite: "playwright", code, passed: report?.stats.expected ?? 0, failures });
}

async function torture() {
  const report = `--report=${fileOf("torture")}`;
  const code = await node(["--enable-source-maps", join(ROOT, "dist", "torture.mjs"), "--quick", report]);
  const failed = (reportOf("torture") ?? []).filter(({ verdict }) => verdict === "FAILED");
  const failures = failed.map(({ id, detail }) => failureOf(`torture › ${id}`, detail));
  return outcomeOf({ suite: "torture", code, passed: code === 0 ? 1 : 0, failures });
}

/** Newest Node on npm; other suites run on the current Node. */
const NEWEST_NODE = "26.10.0";
/** Areas likely affected by a new Node: processes, sockets, streams, digests, threads, bundles. */
const TOUCHES_NODE = [
  "server/audit",
  "server/ground/background",
  "server/run/process",
  "server/doors/front",
  "server/doors/http",
  "server/ground/limits",
  "agent/",
];

/** Runs the pure tests of these areas on the newest Node, from npm's package for this machine. */
async function newestNode() {
  const suite = "vitest-newest";
  const program = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}@${NEWEST_NODE}`;
  const shell = process.platform === "win32";
  const onNewest = (...args) => run("npm", ["exec", "--yes", `--package=${program}`, "--", "node", ...args], { shell });
  if ((await onNewest("--version")) !== 0) {
    process.stdout.write(`${program} cannot be fetched: nothing was run on it.\n`);
    return { passed: 0, failures: [] };
  }
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${fileOf(suite)}`];
  const code = await onNewest(bin("vitest", "vitest.mjs"), "run", "--project", "unit*", ...reporters, ...TOUCHES_NODE);
  const report = reportOf(suite);
  return outcomeOf({ suite, code, passed: report?.numPassedTests ?? 0, failures: failuresOfVitest(report) });
}

/** Lint, types and structure; needs git for the list of files. */
async function check() {
  if (roots().length === 0) {
    process.stdout.write("This is no git checkout: lint, types and structure were not checked.\n");
    return { passed: 0, failures: [] };
  }
  const code = await runSteps();
  return outcomeOf({ suite: "check", code, passed: code === 0 ? 1 : 0, failures: [] });
}

const hasSpecs = () => readdirSync(join(ROOT, "e2e"), { recursive: true }).some((name) => name.endsWith(".spec.ts"));

/** @returns true on success; a failure is reported and does not stop parallel work. */
const succeeds = (work) =>
  work().then(
    () => true,
    (error) => {
      process.stderr.write(`\n${error.expected ? error.message : error.stack}\n`);
      return false;
    },
  );

const SUITES = ["check", "vitest", "newest", "e2e", "torture"];

/**
 * Runs every suite, even after a failure, and ends with the failures and a line `N passed, N failed`.
 * @param names suites to run instead of all: check, vitest, e2e, torture, and newest, which needs the network and only
 * runs by name; arguments after `--` are passed on.
 * @returns 0 when at least one test ran and none failed.
 */
export async function test(names, build) {
  // npm removes the first "--": the first word that is not a suite starts the arguments.
  const words = names.filter((name) => name !== "--");
  const first = words.findIndex((name) => !SUITES.includes(name));
  const split = first < 0 ? words.length : first;
  const [chosen, args] = [words.slice(0, split), words.slice(split)];
  const wants = (suite) => chosen.length === 0 || chosen.includes(suite);
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });
  const { writeManifest } = await import("./manifest.mjs");
  writeManifest();
  const browser = wants("e2e") && existsSync(join(ROOT, "e2e")) && hasSpecs();
  const needsBuild = browser || wants("torture");
  const results = [];
  const pure = async () => {
    if (wants("vitest")) results.push(await vitest({ project: "unit" }, args));
    if (chosen.includes("newest")) results.push(await newestNode());
  };
  // Quick torture tests mostly wait for servers and have limits in seconds; browser tests use all processors and come
  // last.
  const built = async () => {
    // First, because Next's types and its build share a folder.
    if (wants("check")) results.push(await check());
    if (!needsBuild) return;
    if (!(await succeeds(build))) return void results.push({ passed: 0, failures: ["the build"] });
    if (wants("torture") && existsSync(join(ROOT, "dist", "torture.mjs"))) results.push(await torture());
    if (browser) results.push(await playwright(args));
  };
  // In parallel: each leaves a processor idle half of the time.
  const [, , ...ofDatabases] = await Promise.all([pure(), built(), ...(wants("vitest") ? databases(args) : [])]);
  results.push(...ofDatabases);
  const passed = results.reduce((sum, r) => sum + r.passed, 0);
  const failures = results.flatMap((r) => r.failures);
  for (const failure of failures) process.stdout.write(`\nFAILED ${failure}\n`);
  process.stdout.write(`\n${passed} passed, ${failures.length} failed\n`);
  return passed > 0 && failures.length === 0 ? 0 : 1;
}
