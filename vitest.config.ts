import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { writeManifest } from "./scripts/manifest.mjs";

const root = fileURLToPath(new URL(".", import.meta.url));

// Tests of every route take the routes that there are now.
writeManifest();

/** What is waited for comes within milliseconds; a machine that is busy with other things needs longer. */
const POLL_TIMEOUT_MS = 60_000;
const TEST_TIMEOUT_MS = 300_000;

const FOLDERS = ["server", "db", "components", "agent", "app", "scripts", "testing"];
/**
 * What holds for a whole process: other modules in the place of ours, another clock, another environment, loops that
 * run on, pools that are closed. A file that names any of it has a process of its own; the others share one, as the
 * product's verbs do: to start a process and to load the product takes longer than most files.
 */
const CHANGES_PROCESS = new RegExp(
  [
    /\bvi\.(mock|resetModules|stubEnv|stubGlobal|useFakeTimers)\b/,
    /\bprocess\.(env\.\w+ (\?\?)?= |(on|once|kill|emit)\()/,
    /\bObject\.assign\(env\(\)/,
    /\b(closeDatabase|closeDenials|closeLookup|closeStreams|endHolding|stopRecording|stopRelay|stopTracing)\b/,
    /\b(registry|startEmbedded|startOnlyWitness)\b|\.start\(\)/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

/** As a pattern that means this file alone: folders of routes have brackets in their names. */
const literally = (file: string) => file.replace(/[^\w./-]/g, "?");

/** The files of a kind: those that share a process, and those that have one each. */
function filesOf(isKind: (name: string) => boolean): { shared: string[]; alone: string[] } {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter(isKind)
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
  );
  const alone = files.filter((file) => CHANGES_PROCESS.test(readFileSync(join(root, file), "utf8")));
  const shared = files.filter((file) => !alone.includes(file));
  return { alone: alone.map(literally), shared: shared.map(literally) };
}

const pure = filesOf((name) => /(?<!\.db)\.test\.tsx?$/.test(name));
const stored = filesOf((name) => name.endsWith(".db.test.ts"));

const unit = { globalSetup: ["testing/temp-folder.ts"] };
const database = {
  // They share a database, and what claims the next job takes any organization's.
  fileParallelism: false,
  globalSetup: ["testing/temp-folder.ts", "testing/database.ts", "testing/thread-bundles.ts"],
  setupFiles: ["testing/env.ts", "testing/search-time.ts"],
};

/** When a project's turn comes: those that have a process each look at every organization, and come while few are there. */
const turn = (groupOrder: number) => ({ sequence: { groupOrder } });

/** Pure tests, and tests that speak to a real PostgreSQL as the application role. */
export default defineConfig({
  resolve: {
    alias: {
      "@": root,
      "server-only": `${root}server/run/process/empty.ts`,
    },
  },
  test: {
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    projects: [
      { extends: true, test: { ...unit, name: "unit", isolate: false, include: pure.shared } },
      { extends: true, test: { ...unit, name: "unit-alone", include: pure.alone } },
      { extends: true, test: { ...database, ...turn(2), name: "database", isolate: false, include: stored.shared } },
      { extends: true, test: { ...database, ...turn(1), name: "database-alone", include: stored.alone } },
    ],
  },
});
