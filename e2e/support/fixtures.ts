import AxeBuilder from "@axe-core/playwright";
import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { SettingsPage } from "@/e2e/pages/settings";
import { SignInPage } from "@/e2e/pages/sign-in";
import { ViewerPage } from "@/e2e/pages/viewer";

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;
type Fixtures = { viewer: ViewerPage; settings: SettingsPage; guest: Page };

/** Every test starts signed in as the partner's administrator; one sign-in per worker. `guest` is nobody. */
export const test = base.extend<Fixtures, { admin: State }>({
  admin: [
    async ({ browser }, use, worker) => {
      const { baseURL, timezoneId, locale } = worker.project.use;
      const context = await browser.newContext({ baseURL, timezoneId, locale });
      await new SignInPage(await context.newPage()).signIn();
      await use(await context.storageState());
      await context.close();
    },
    { scope: "worker" },
  ],
  storageState: ({ admin }, use) => use(admin),
  viewer: ({ page }, use) => use(new ViewerPage(page)),
  settings: ({ page }, use) => use(new SettingsPage(page)),
  guest: async ({ browser, baseURL }, use) => {
    const context = await browser.newContext({ baseURL, storageState: { cookies: [], origins: [] } });
    await use(await context.newPage());
    await context.close();
  },
});

const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** No violation of WCAG 2.2 AA or of axe's best practices on what the page shows now. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(STANDARDS).analyze();
  const found = violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
  expect(found).toEqual([]);
}

/** The page is never wider than its window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(excess).toBe(0);
}

export { expect };
