import { defineConfig } from "playwright/test";
import { findBrowser } from "./testing/browser";
import { freePort } from "./testing/server";

// Read again in every worker, which inherits the port.
process.env.TRAILMARK_E2E_PORT ??= String(await freePort());
const { env, ...browser } = await findBrowser(process.cwd());

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/support/server.ts",
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  // One more than Trailmark's processors: a page waiting for the server leaves one idle.
  workers: 3,
  // Generous: a busy machine is not the page's fault. Tests measure durations that matter.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  reporter: "list",
  use: {
    baseURL: `http://127.0.0.1:${process.env.TRAILMARK_E2E_PORT}`,
    browserName: "chromium",
    launchOptions: { ...browser, ...(env && { env: { ...(process.env as Record<string, string>), ...env } }) },
    timezoneId: "UTC",
    locale: "en-GB",
    // A trace copies the page around every action, which takes longer than the action; use --trace on.
    trace: "off",
    screenshot: "only-on-failure",
  },
});
