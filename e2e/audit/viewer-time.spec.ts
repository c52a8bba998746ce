import type { Request } from "playwright/test";
import { Api } from "@/e2e/support/api";
import { heldScripts } from "@/e2e/support/faults";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

test.use({ timezoneId: "Asia/Kolkata" });

test("a time shows its age, and a card with every zone by pointer and key", async ({ viewer, page }) => {
  await viewer.open("?action=user.login");
  const time = viewer.table.locator("time").first();
  await expect(time).toContainText(/\d\d:\d\d:\d\d · (now|\d+ (min|h))/);
  const card = page.getByRole("tooltip");
  await time.hover();
  await expect(card).toContainText("UTC");
  await expect(card).toContainText(/Asia\/(Kolkata|Calcutta), UTC\+5:30/);
  await expect(card).toContainText(/\d{10}(\.\d+)? s/);
  await expectAccessible(page);
  await viewer.search.hover();
  await expect(card).toHaveCount(0);

  await page.keyboard.press("j");
  await page.keyboard.press("t");
  await expect(card).toContainText(/ago/);
  const link = viewer.entries().first();
  await expect(link).toHaveAttribute("aria-describedby", (await card.getAttribute("id")) ?? "");
  await page.keyboard.press("Escape");
  await expect(card).toHaveCount(0);
});

test("histogram bars are local days and hours, and zooming keeps their bounds", async ({ viewer, page }) => {
  await viewer.open("?range=24h");
  await expect(viewer.histogram).toHaveAttribute("aria-valuetext", /entr/);
  await viewer.histogram.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(viewer.histogram).toHaveAttribute("aria-valuetext", /, \d\d:00 to (\d+ \w+ \d{4}, )?\d\d:00: /);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/from=[^&]*%3A30%3A00|from=[^&]*:30:00/);
});

test("a preset range ends when it is selected, and is updated when the page is viewed again", async ({
  viewer,
  page,
}) => {
  await page.clock.install();
  await viewer.open("?range=15m");
  const span = page.getByText(/^\d+ \w+ \d{4}, \d\d:\d\d:00 to now$/);
  const before = (await span.textContent()) ?? "";
  await page.clock.fastForward("20:00");
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
  await expect(span).not.toHaveText(before);
  const seen = await span.textContent();
  await page.clock.fastForward("20:00");
  for (const [chosen, next] of [
    ["Last 15 minutes", "Last hour"],
    ["Last hour", "Last 15 minutes"],
  ] as const) {
    await page.getByRole("button", { name: `Time range: ${chosen}` }).click();
    await page.getByRole("button", { name: new RegExp(`^${next}`) }).click();
  }
  await expect(page.getByRole("button", { name: "Time range: Last 15 minutes" })).toBeVisible();
  expect(await span.textContent()).not.toBe(seen);
});

test("older pages keep their range, also when going back", async ({ viewer, page, request }) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Paged");
  const event = { actorType: "system", action: "policy.update", resourceType: "policy", resourceName: "Baseline" };
  // Some minutes old: other tests look at the newest entries of all organizations.
  const newest = Date.now() - 5 * 60_000;
  const events = Array.from({ length: 60 }, (_, n) => ({
    ...event,
    timestamp: new Date(newest - n * 1_000).toISOString(),
  }));
  await api.write(orgId, events);
  await viewer.open(`?orgId=${orgId}&range=15m&fold=false`);
  await page.getByRole("button", { name: "Older" }).click();
  await expect(page).toHaveURL(/cursor=/);
  await page.clock.install();
  const span = page.getByText(/^\d+ \w+ \d{4}, \d\d:\d\d:00 to now$/);
  const before = (await span.textContent()) ?? "";
  await page.clock.fastForward("20:00");
  await viewer.searchFor("result:denied");
  // The page changes before its address does, and the way back begins at the address.
  await expect(page).toHaveURL(/result=denied/);
  await expect(span).not.toHaveText(before);
  await page.goBack();
  await expect(page).toHaveURL(/cursor=/);
  await expect(span).toHaveText(before);
  await expect(viewer.entries().first()).toBeVisible();
});

test("Refresh reloads today's entries and counts within the same range", async ({ viewer, page }) => {
  const asked = new Set<Request>();
  const isRoutine = (request: Request) => request.url().includes("audit.routine");
  page.on("request", (request) => isRoutine(request) && asked.add(request));
  page.on("requestfinished", (request) => asked.delete(request));
  await viewer.open("?range=today&fold=true");
  await expect(viewer.entries().first()).toBeVisible();
  await viewer.openFacets();
  await expect(viewer.histogram).toHaveAttribute("aria-valuetext", /entr/);
  // A first read under way is not started twice.
  await expect.poll(() => asked.size).toBe(0);
  const read = [/audit\.list.*skipCount%22%3Atrue/, /audit\.routine/, /audit\.histogram/, /audit\.facets/].map(
    (request) => page.waitForRequest(request),
  );
  await page.getByRole("button", { name: "Refresh" }).click();
  await Promise.all(read);
});

test("the range menu opens when pressed before its scripts load, and takes focus", async ({ viewer, page }) => {
  await viewer.open();
  const release = await heldScripts(page);
  const button = page.getByRole("button", { name: /^Time range/ });
  await button.focus();
  await page.keyboard.press("Enter");
  const menu = page.getByRole("dialog", { name: "Time range" });
  await expect(menu).toBeAttached();
  const allTime = menu.getByRole("button", { name: "All time" });
  await expect(allTime).toHaveCount(0);
  release();
  await expect(allTime).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/range=/);
  await expect(button).toBeFocused();
});
