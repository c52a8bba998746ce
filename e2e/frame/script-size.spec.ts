import { gzipSync } from "node:zlib";
import type { Page } from "playwright/test";
import { expect, test } from "@/e2e/support/fixtures";

const MAX_SCRIPTS_KB = 250;
const QUIET_MS = 1_000;

/** Until the page has asked for nothing for a while. */
const untilQuiet = (page: Page) =>
  page.evaluate(
    (ms) =>
      new Promise<void>((done) => {
        let timer = setTimeout(done, ms);
        new PerformanceObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(done, ms);
        }).observe({ type: "resource" });
      }),
    QUIET_MS,
  );

test("a fresh window loads less than 250 KB of scripts for the audit log, all that follows included", async ({
  viewer,
  page,
}) => {
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() === "script")
      sizes.push(response.body().then((body) => gzipSync(body).length / 1024));
  });
  await viewer.open();
  await expect(viewer.entries().first()).toBeVisible();
  await untilQuiet(page);
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(100);
  expect(total).toBeLessThan(MAX_SCRIPTS_KB);
});
