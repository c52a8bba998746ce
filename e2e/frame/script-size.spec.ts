import { gzipSync } from "node:zlib";
import type { Page, Response } from "playwright/test";
import { expect, test } from "@/e2e/support/fixtures";

const MAX_SCRIPTS_KB = 250;
const MAX_PROOF_PAGE_KB = 60;
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

/** Sums what the page's answers weigh, in KB of gzip, scripts alone or all of them. */
function weigh(page: Page, isCounted: (response: Response) => boolean): () => Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    if (isCounted(response)) sizes.push(response.body().then((body) => gzipSync(body).length / 1024));
  });
  return async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test("the audit log loads less than 250 KB of scripts in total", async ({ viewer, page }) => {
  const total = weigh(page, (response) => response.request().resourceType() === "script");
  await viewer.open();
  await expect(viewer.entries().first()).toBeVisible();
  await untilQuiet(page);
  expect(await total()).toBeGreaterThan(100);
  expect(await total()).toBeLessThan(MAX_SCRIPTS_KB);
});

test("the page of a short proof link weighs less than 60 KB", async ({ guest }) => {
  const total = weigh(guest, () => true);
  await guest.goto("/p/no-link-of-this-name");
  await expect(guest.getByRole("alert")).toContainText("never existed");
  await untilQuiet(guest);
  expect(await total()).toBeGreaterThan(10);
  expect(await total()).toBeLessThan(MAX_PROOF_PAGE_KB);
});
