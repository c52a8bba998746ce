import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "./folder";
import type { Line, LineInput, Outcome } from "./types";

/** Tests of the suite run with more cases (testing/ordered.ts). */

type Ordered = { id: string; title: string; project: "unit" | "database"; files: string[]; name?: string };
type Assertion = {
  fullName: string;
  status: string;
  failureMessages: string[];
  meta: { tried?: number; control?: string };
};
type Report = { testResults: { name: string; status: string; message: string; assertionResults: Assertion[] }[] };

const TEST_TIMEOUT_MS = 90 * 60_000;

/** Runs them by vitest. @returns its report, or its output on a crash */
const runTests = ({ project, files, name }: Ordered, cases: number, seed: number): Promise<Report | string> =>
  withFolder(async (folder): Promise<Report> => {
    const report = join(folder, "report.json");
    const chosen = [...files, ...(name ? ["-t", name] : [])];
    const options = ["--project", `${project}*`, `--testTimeout=${TEST_TIMEOUT_MS}`, "--reporter=json"];
    const vitest = join("node_modules", "vitest", "vitest.mjs");
    const child = spawn(process.execPath, [vitest, "run", ...chosen, ...options, `--outputFile=${report}`], {
      env: { ...process.env, TORTURE_CASES: String(cases), TORTURE_SEED: String(seed) },
      stdio: "ignore",
    });
    await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
    return JSON.parse(readFileSync(report, "utf8"));
  }).catch((error: unknown) => `${error}`);

async function run(ordered: Ordered, { rounds, random }: LineInput): Promise<Outcome> {
  const report = await runTests(ordered, rounds, Math.floor(random() * 0x7fffffff));
  if (typeof report === "string") return { tried: 0, failed: 1, detail: report };
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const done = tests.filter(({ status }) => status === "passed" || status === "failed");
  const failed = done.filter(({ status }) => status === "failed");
  const broken = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  const tried = done.reduce((sum, { meta }) => sum + (meta.tried ?? 0), 0);
  const controls = done.flatMap(({ meta }) => meta.control ?? []);
  const faults = [
    ...failed.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]?.slice(0, 1_500)}`),
    ...broken.map(({ name, message }) => `${name}: ${message.slice(0, 500)}`),
    ...(tried === 0 ? ["nothing was tried"] : []),
  ];
  return { tried, failed: faults.length, detail: [`${done.length} tests`, ...controls, ...faults].join("; ") };
}

const line = (ordered: Ordered): Line => ({
  id: ordered.id,
  title: ordered.title,
  run: (input) => run(ordered, input),
});

export const cleanLine = line({
  id: "C1",
  title: "clean chains verified while eight writers write",
  project: "database",
  files: ["server/evidence/chain/verify.db.test.ts"],
  name: "raises no false alarm",
});

export const hashLine = line({
  id: "C2",
  title: "the hash of random rows in SQL and in the server",
  project: "database",
  files: ["server/evidence/chain/chain.db.test.ts"],
  name: "agree for any row",
});

export const sequencesLine = line({
  id: "C3",
  title: "random sequences of writing, pruning, verifying and signing",
  project: "database",
  files: ["server/evidence/integrity/sequences.db.test.ts"],
});

export const tenantsLine = line({
  id: "T2",
  title: "interleaved queries of two organizations on five connections",
  project: "database",
  files: ["db/tenancy.db.test.ts"],
  name: "separates two organizations",
});

export const badValuesLine = line({
  id: "F2",
  title: "hand-picked bad values in every field and query parameter",
  project: "database",
  files: ["server/doors/http/bad-fields.db.test.ts", "server/doors/http/bad-queries.db.test.ts"],
});

export const csvLine = line({
  id: "F3-csv",
  title: "CSV of any cells, read by another library",
  project: "unit",
  files: ["server/ground/csv.test.ts"],
  name: "survive another CSV parser",
});
