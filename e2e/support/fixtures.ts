import axe from "axe-core";
import { type BrowserContext, test as base, expect, type Page } from "playwright/test";
import { SettingsPage } from "@/e2e/pages/settings";
import { SignInPage } from "@/e2e/pages/sign-in";
import { ViewerPage } from "@/e2e/pages/viewer";
import { workerAdmin } from "./api";

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;
/** With the four minutes that a test may take, shorter than the ten for which signing in counts as a proof. */
const SIGN_IN_AGAIN_MS = 5 * 60_000;
type Worker = { base: string | undefined; signedIn: () => Promise<State> };
type Fixtures = { admin: State; viewer: ViewerPage; settings: SettingsPage; guest: Page };

export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1280, height: 800 };

/** How a page is looked at; what is wrong with a colour is wrong at any width, so dark needs one. */
const LOOKS = [
  { colorScheme: "light", size: PHONE },
  { colorScheme: "light", size: DESK },
  { colorScheme: "dark", size: DESK },
] as const;

/** The page with a reader's patience: nothing is clicked or typed before its scripts answer (the body says so). */
export async function patient(page: Page): Promise<Page> {
  await page.addLocatorHandler(page.locator("body[aria-busy]"), async () => {});
  // Keys go to no element that Playwright could wait for.
  const { keyboard } = page;
  const press = keyboard.press.bind(keyboard);
  keyboard.press = async (...key) => {
    await page.locator("body:not([aria-busy])").waitFor({ state: "attached" });
    return press(...key);
  };
  return page;
}

/**
 * Every test starts signed in as an administrator of the partner, its worker's own, by a recent sign-in. `guest` is nobody;
 * `base` is the server's address, another one where a file starts a server of its own.
 */
export const test = base.extend<Fixtures, Worker>({
  base: [({ playwright: _ }, use, worker) => use(worker.project.use.baseURL), { scope: "worker" }],
  baseURL: ({ base }, use) => use(base),
  signedIn: [
    async ({ browser, base }, use, worker) => {
      const { timezoneId, locale } = worker.project.use;
      let last: { at: number; state: State } | undefined;
      await use(async () => {
        if (last && Date.now() - last.at < SIGN_IN_AGAIN_MS) return last.state;
        const context = await browser.newContext({ baseURL: base, timezoneId, locale });
        await new SignInPage(await patient(await context.newPage())).signIn(await workerAdmin(context.request));
        last = { at: Date.now(), state: await context.storageState() };
        await context.close();
        return last.state;
      });
    },
    { scope: "worker" },
  ],
  admin: async ({ signedIn }, use) => use(await signedIn()),
  storageState: ({ admin }, use) => use(admin),
  page: async ({ page }, use) => use(await patient(page)),
  viewer: ({ page }, use) => use(new ViewerPage(page)),
  settings: ({ page }, use) => use(new SettingsPage(page)),
  guest: async ({ browser, baseURL, colorScheme }, use) => {
    const context = await browser.newContext({ baseURL, colorScheme, storageState: { cookies: [], origins: [] } });
    await use(await patient(await context.newPage()));
    await context.close();
  },
});

const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Violations of WCAG 2.2 AA and of axe's best practices on the page as it is now: the rule, and where. */
export async function violationsOn(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (standards) => {
    const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
    // Passes are not read: naming each such element takes longer than the rules themselves.
    const { violations } = await axe.run({ runOnly: standards, resultTypes: ["violations"] });
    return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
  }, STANDARDS);
}

/** Finite animations of the page, two frames on: a dialog gets its name and starts to move after its first. */
const moving = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    return document
      .getAnimations()
      .filter(({ playState, effect }) => playState === "running" && effect?.getComputedTiming().endTime !== Infinity)
      .map(({ effect }) => (effect as KeyframeEffect).target?.className.toString() ?? "");
  });

/** No violation of WCAG 2.2 AA or of axe's best practices on what the page shows now. */
export async function expectAccessible(page: Page): Promise<void> {
  // Results of an earlier answer are dimmed.
  await expect(page.locator("[data-stale]")).toHaveCount(0);
  await expect.poll(() => moving(page)).toEqual([]);
  expect(await violationsOn(page)).toEqual([]);
}

/** A page follows the system's colour scheme: what it shows is looked at in both, without being opened twice. */
async function wear(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", colorScheme);
}

/** expectAccessible() in both colour schemes. */
export async function expectAccessibleInBoth(page: Page): Promise<void> {
  for (const colorScheme of ["dark", "light"] as const) {
    await wear(page, colorScheme);
    await expectAccessible(page);
  }
}

/** The page as it is now is accessible and no wider than its window, on a phone and a desk, in light and in dark. */
export async function expectSound(page: Page, prepare = async () => {}): Promise<void> {
  for (const { colorScheme, size } of LOOKS) {
    await wear(page, colorScheme);
    await page.setViewportSize(size);
    await prepare();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  }
}

/** The page is never wider than its window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const excess = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  // A table that is wider than the page scrolls by itself once its scripts have measured it.
  await expect.poll(excess).toBe(0);
}

export { expect };
