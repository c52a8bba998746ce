import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url));

/** What is waited for comes within milliseconds; a machine that is busy with other things needs longer. */
const POLL_TIMEOUT_MS = 20_000;
const TEST_TIMEOUT_MS = 120_000;

/** Two projects: pure tests, and tests that speak to a real PostgreSQL as the application role. */
export default defineConfig({
  resolve: {
    alias: {
      "@": root,
      "server-only": `${root}server/process/empty.ts`,
    },
  },
  test: {
    testTimeout: TEST_TIMEOUT_MS,
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{server,db,components,agent,app,scripts,testing}/**/*.test.{ts,tsx}"],
          exclude: ["**/*.db.test.ts", "**/node_modules/**"],
          globalSetup: ["testing/temp-folder.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "database",
          // They share a database, and what claims the next job takes any organization's.
          fileParallelism: false,
          include: ["{server,db,agent,app,scripts,testing}/**/*.db.test.ts"],
          globalSetup: ["testing/temp-folder.ts", "testing/database.ts", "testing/thread-bundles.ts"],
          setupFiles: ["testing/env.ts"],
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
