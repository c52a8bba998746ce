import type { Page } from "@playwright/test";
import { expect, expectAccessible, expectNoSidewaysScroll, test } from "@/e2e/support/fixtures";

const PHONE = { width: 390, height: 844 };
const PAGES: [path: string, heading: string][] = [
  ["/", "Audit log"],
  ["/devices", "Devices"],
  ["/settings/organizations", "Organizations"],
  ["/settings/users", "Users"],
  ["/settings/api-keys", "API keys"],
  ["/settings/enrollment", "Enrollment"],
  ["/nowhere", "This page doesn't exist"],
];

async function openSettled(page: Page, path: string, heading: string) {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
  await expect(page.getByRole("status", { name: /Loading/ })).toHaveCount(0);
}

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(`in the ${colorScheme} scheme`, () => {
    test.use({ colorScheme });

    for (const [path, heading] of PAGES)
      test(`${path} has no accessibility violation, on a desk and on a phone`, async ({ page }) => {
        await openSettled(page, path, heading);
        await expect(page).toHaveTitle(`${heading} · Trailmark`);
        await expectAccessible(page);
        await page.setViewportSize(PHONE);
        await expectAccessible(page);
        await expectNoSidewaysScroll(page);
      });

    test("the sign-in page has none either", async ({ browser, baseURL }) => {
      const context = await browser.newContext({ baseURL, colorScheme, storageState: { cookies: [], origins: [] } });
      const page = await context.newPage();
      await page.goto("/login");
      await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
      await expectAccessible(page);
      await context.close();
    });

    test("nor have an open entry, the filters and the range", async ({ viewer, page }) => {
      await viewer.open("?action=user.login");
      await viewer
        .entries(/signed in/)
        .first()
        .click();
      await expect(viewer.drawer.getByRole("region", { name: "Raw entry", exact: true })).toBeVisible();
      await expectAccessible(page);
      await page.keyboard.press("Escape");
      await viewer.openFacets();
      await expectAccessible(page);
      await viewer.search.fill("res");
      await expect(viewer.suggestions).toBeVisible();
      await expectAccessible(page);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: /Time range/ }).click();
      await expect(page.getByRole("button", { name: /Last hour/ })).toBeVisible();
      await expectAccessible(page);
    });

    test("nor have the dialogs of the settings", async ({ settings, page }) => {
      for (const [path, title, button] of [
        ["organizations", "Organizations", "New organization"],
        ["users", "Users", "New user"],
        ["api-keys", "API keys", "New API key"],
        ["enrollment", "Enrollment", "New enrollment key"],
      ] as const) {
        await settings.open(path, title);
        await page.getByRole("button", { name: button }).click();
        await expect(settings.dialog(button)).toBeVisible();
        await expectAccessible(page);
      }
    });
  });
}

test("on a phone the navigation is a drawer that leads to the pages", async ({ page }) => {
  await page.setViewportSize(PHONE);
  await openSettled(page, "/", "Audit log");
  await page.getByRole("button", { name: "Open navigation" }).click();
  const drawer = page.getByRole("dialog", { name: "Trailmark" });
  await expect(drawer).toBeVisible();
  await expectAccessible(page);
  await drawer.getByRole("link", { name: "Devices" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Devices" })).toBeVisible();
  await expect(drawer).toHaveCount(0);
});

test("no page breaks its content security policy or throws", async ({ page }) => {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (line) => {
    if (/Content Security Policy|Hydration|Minified React error/.test(line.text())) faults.push(line.text());
  });
  for (const [path, heading] of PAGES) await openSettled(page, path, heading);
  expect(faults).toEqual([]);
});
