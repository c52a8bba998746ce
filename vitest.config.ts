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
/** A file is named by what it needs: `*.db.test.ts` a PostgreSQL, `*.alone.*` a process for itself; the others share one. */
const filesOf = (names: string) => FOLDERS.map((folder) => `${folder}/**/${names}`);
const ALONE = "**/*.alone.*";

const unit = { globalSetup: ["testing/temp-folder.ts"] };
const database = {
  // They share a database, and what claims the next job takes any organization's.
  fileParallelism: false,
  globalSetup: ["testing/temp-folder.ts", "testing/database.ts", "testing/thread-bundles.ts"],
  setupFiles: ["testing/env.ts"],
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
      {
        extends: true,
        test: {
          ...unit,
          name: "unit",
          isolate: false,
          include: filesOf("*.test.{ts,tsx}"),
          exclude: [ALONE, "**/*.db.test.ts"],
        },
      },
      { extends: true, test: { ...unit, name: "unit-alone", include: filesOf("*.alone.test.{ts,tsx}") } },
      {
        extends: true,
        test: {
          ...database,
          ...turn(2),
          name: "database",
          isolate: false,
          include: filesOf("*.db.test.ts"),
          exclude: [ALONE],
        },
      },
      {
        extends: true,
        test: { ...database, ...turn(1), name: "database-alone", include: filesOf("*.alone.db.test.ts") },
      },
    ],
  },
});
