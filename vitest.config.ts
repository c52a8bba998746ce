import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { writeManifest } from "./scripts/manifest.mjs";

const root = fileURLToPath(new URL(".", import.meta.url));

// Route tests use the current list of routes.
writeManifest();

/** Awaited things take milliseconds, or longer on a busy machine. */
const POLL_TIMEOUT_MS = 60_000;
const TEST_TIMEOUT_MS = 300_000;

const FOLDERS = ["server", "db", "components", "agent", "app", "scripts", "testing"];
/** File names tell the requirements: `*.db.test.ts` PostgreSQL, `*.alone.*` its own process; others share one. */
const filesOf = (names: string) => FOLDERS.map((folder) => `${folder}/**/${names}`);
const ALONE = "**/*.alone.*";

const unit = { globalSetup: ["testing/temp-folder.ts"] };
const database = {
  // They share a database, and claiming the next job takes any organization's.
  fileParallelism: false,
  globalSetup: ["testing/temp-folder.ts", "testing/database.ts", "testing/thread-bundles.ts"],
  setupFiles: ["testing/env.ts"],
};

/** Order of projects: tests with their own process look at every organization, so they run while there are few. */
const turn = (groupOrder: number) => ({ sequence: { groupOrder } });

/** Pure tests, and tests with a real PostgreSQL as the application role. */
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
