import { defineConfig } from "playwright/test";
import { findBrowser } from "./testing/browser";
import { freePort } from "./testing/server";

// Read again in every worker, which inherits the port from the process that started the server.
process.env.TRAILMARK_E2E_PORT ??= String(await freePort());
const { env, ...browser } = await findBrowser(process.cwd());

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/support/server.ts",
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  // One more than the processors that Trailmark is held to: a page that waits for the server leaves one idle.
  workers: 3,
  // Generous: a busy machine is no defect of the page. What may not take long is measured by the test that says so.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  reporter: "list",
  use: {
    baseURL: `http://127.0.0.1:${process.env.TRAILMARK_E2E_PORT}`,
    browserName: "chromium",
    launchOptions: { ...browser, ...(env && { env: { ...(process.env as Record<string, string>), ...env } }) },
    timezoneId: "UTC",
    locale: "en-GB",
    // A trace copies the page before and after every action, which takes longer than the action: --trace on asks for one.
    trace: "off",
    screenshot: "only-on-failure",
  },
});
