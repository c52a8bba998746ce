import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startNode } from "@/testing/program";
import { tempFolder } from "@/testing/temp-folder";
import type { Line } from "./line";

/** Tests of the suite run with more cases (testing/ordered.ts). */

type Ordered = Pick<Line, "id" | "title" | "quick" | "full"> & {
  project: "unit" | "database";
  files: string[];
  name?: string;
};
type Assertion = {
  fullName: string;
  status: string;
  failureMessages: string[];
  meta: { tried?: number; control?: string };
};
type Report = { testResults: { name: string; status: string; message: string; assertionResults: Assertion[] }[] };

const TEST_TIMEOUT_MS = 90 * 60_000;

/** Runs them by vitest. @returns its report, or its output on a crash */
async function runTests({ project, files, name }: Ordered, cases: number, seed: number): Promise<Report | string> {
  const report = join(tempFolder(), "report.json");
  const chosen = [...files, ...(name ? ["-t", name] : [])];
  const options = ["--project", `${project}*`, `--testTimeout=${TEST_TIMEOUT_MS}`, "--reporter=json"];
  const vitest = [join("node_modules", "vitest", "vitest.mjs"), "run", ...chosen, ...options];
  const env = { ...process.env, TORTURE_CASES: String(cases), TORTURE_SEED: String(seed) };
  const { out, err } = await startNode([...vitest, `--outputFile=${report}`], { env }).ended;
  return existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : out + err;
}

/** A line of these tests; `npm test vitest` already has their few cases. */
const line = (ordered: Ordered): Line => ({
  ...ordered,
  slow: true,
  async run({ rounds, random }, found) {
    const report = await runTests(ordered, rounds, Math.floor(random() * 0x7fffffff));
    if (typeof report === "string") return found.fault(report);
    const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    const done = tests.filter(({ status }) => status === "passed" || status === "failed");
    found.tried = done.reduce((sum, { meta }) => sum + (meta.tried ?? 0), 0);
    found.note(`${done.length} tests`, ...done.flatMap(({ meta }) => meta.control ?? []));
    for (const { fullName, status, failureMessages } of done)
      if (status === "failed") found.fault(`${fullName}: ${failureMessages[0]?.slice(0, 1_500)}`);
    for (const { name, status, message, assertionResults } of report.testResults)
      if (status === "failed" && assertionResults.length === 0) found.fault(`${name}: ${message.slice(0, 500)}`);
  },
});

const TESTS: Ordered[] = [
  {
    id: "F3-import",
    title: "the import's file reader and header matcher on generated files and headers",
    ...{ quick: 1_000, full: 100_000, project: "unit" },
    files: ["server/custom-fields/import/read/read-file.test.ts"],
    name: "any file content",
  },
  {
    id: "C1",
    title: "clean chains verified while eight writers write",
    ...{ quick: 30, full: 1_000, project: "database" },
    files: ["server/evidence/chain/verify.db.test.ts"],
    name: "raises no false alarm",
  },
  {
    id: "C2",
    title: "the hash of random rows in SQL and in the server",
    ...{ quick: 800, full: 100_000, project: "database" },
    files: ["server/evidence/chain/chain.db.test.ts"],
    name: "agree for any row",
  },
  {
    id: "C3",
    title: "random sequences of writing, pruning, verifying and signing",
    ...{ quick: 10, full: 1_000, project: "database" },
    files: ["server/evidence/integrity/sequences.db.test.ts"],
  },
  {
    id: "T2",
    title: "interleaved queries of two organizations on five connections",
    ...{ quick: 2_000, full: 10_000, project: "database" },
    files: ["db/tenancy.db.test.ts"],
    name: "separates two organizations",
  },
  {
    id: "F2",
    title: "hand-picked bad values in every field and query parameter",
    ...{ quick: 5_000, full: 5_000, project: "database" },
    files: ["server/doors/http/bad-fields.db.test.ts", "server/doors/http/bad-queries.db.test.ts"],
  },
  {
    id: "F3-csv",
    title: "CSV of any cells, read by another library",
    ...{ quick: 1_000, full: 100_000, project: "unit" },
    files: ["server/ground/csv.test.ts"],
    name: "survive another CSV parser",
  },
];

export const orderedTests = TESTS.map(line);
