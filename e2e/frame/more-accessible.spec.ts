import { expect, expectAccessible, expectNoSidewaysScroll, test } from "@/e2e/support/fixtures";

const PHONE = { width: 390, height: 844 };
const PAGES: [path: string, heading: string][] = [
  ["/integrity", "Integrity"],
  ["/reports", "Reports"],
  ["/scripts", "Scripts"],
  ["/settings/retention", "Retention"],
  ["/docs", "API reference"],
  ["/verify", "Verify an evidence bundle"],
];

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(`in the ${colorScheme} scheme`, () => {
    test.use({ colorScheme });

    for (const [path, heading] of PAGES)
      test(`${path} has no accessibility violation, on a desk and on a phone`, async ({ page }) => {
        await page.goto(path);
        await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
        await expect(page.getByRole("status", { name: /Loading/ })).toHaveCount(0);
        await expect(page).toHaveTitle(`${heading} · Trailmark`);
        await expectAccessible(page);
        await page.setViewportSize(PHONE);
        await expectAccessible(page);
        await expectNoSidewaysScroll(page);
      });
  });
}
