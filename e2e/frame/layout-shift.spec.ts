import type { Page } from "@playwright/test";
import { Api } from "@/e2e/support/api";
import { expect, expectNoSidewaysScroll, test } from "@/e2e/support/fixtures";

const PAGES = [
  "/",
  "/integrity?orgId=ORG",
  "/reports",
  "/devices",
  "/devices/DEVICE",
  "/scripts",
  "/settings/organizations",
  "/settings/users",
  "/settings/api-keys",
  "/settings/enrollment",
  "/settings/custom-fields",
  "/settings/retention?orgId=ORG",
  "/docs",
];
const MAX_SHIFT = 0.02;
const QUIET_MS = 700;

let ids: Record<string, string> = {};
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ baseURL });
  const api = await Api.signIn(request);
  const org = await api.makeChain("Steady");
  ids = { ORG: org, DEVICE: (await api.enroll(org, "WS-STEADY")).deviceId };
  await request.dispose();
});

const addressOf = (path: string) => path.replace(/ORG|DEVICE/, (name) => ids[name] ?? "");

/** How far the page has moved by itself, once it has been quiet for a while. */
const shiftOf = (page: Page) =>
  page.evaluate(
    (quietMs) =>
      new Promise<number>((done) => {
        let total = 0;
        const end = () => done(total);
        let timer = setTimeout(end, quietMs);
        const again = () => {
          clearTimeout(timer);
          timer = setTimeout(end, quietMs);
        };
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
            if (!entry.hadRecentInput) total += entry.value;
          again();
        }).observe({ type: "layout-shift", buffered: true });
        new PerformanceObserver(again).observe({ type: "resource" });
      }),
    QUIET_MS,
  );

for (const path of PAGES) {
  test(`${path} does not move while it loads`, async ({ page }) => {
    await page.goto(addressOf(path));
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    expect(await shiftOf(page)).toBeLessThan(MAX_SHIFT);
  });

  test(`${path} does not move on a phone either`, async ({ page }) => {
    // Without the fonts: where a line breaks while they come differs from one machine's fallback to another's.
    await page.route("**/*.woff2", (route) => route.abort());
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(addressOf(path));
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    expect(await shiftOf(page)).toBeLessThan(MAX_SHIFT);
  });
}

test("between a phone and a desk no column of a list is crushed", async ({ page }) => {
  for (const path of ["/devices", "/settings/users", "/settings/organizations", "/settings/enrollment"]) {
    await page.goto(path);
    const cell = page.getByRole("cell").first();
    await expect(cell).toBeVisible();
    for (const width of [640, 800, 1000, 1180]) {
      await page.setViewportSize({ width, height: 800 });
      await expect
        .poll(async () => (await cell.boundingBox())?.width, { message: `${path} at ${width}` })
        .toBeGreaterThan(110);
      await expectNoSidewaysScroll(page);
    }
  }
});
