import { Api } from "@/e2e/support/api";
import { expect, PHONE, test } from "@/e2e/support/fixtures";

const PALETTE = "Go to a page, view, person, device or organization";

test("Enter selects the first organization from the server", async ({ page, request }) => {
  const name = `KEY-${crypto.randomUUID().slice(0, 8)}`;
  await (await Api.signIn(request)).makeOrganization(`Keys ${name}`);
  await page.goto("/scripts");
  await page.getByRole("button", { name: /^Organization:/ }).click();
  await expect(page.getByLabel("Find an organization")).toBeFocused();
  await page.keyboard.type(`Keys ${name}`);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: `Organization: Keys ${name}` })).toBeVisible();
});

test("the command palette runs actions and accepts an ID, a URL and a search", async ({ viewer, page }) => {
  const go = async (typed: string) => {
    await page.keyboard.press("Control+k");
    const search = page.getByLabel(PALETTE);
    await expect(search).toBeVisible();
    await search.fill(typed);
    await search.press("Enter");
    await expect(search).toHaveCount(0);
  };
  await viewer.open("?action=user.login");
  const id = await viewer.entries().first().getAttribute("data-entry");
  await go(id ?? "");
  await expect(page).toHaveURL(`/audit/${id}`);
  await go("203.0.113.0/24");
  await expect(page).toHaveURL(/ip=203\.0\.113\.0/);
  await go("export entries");
  await expect(page.getByRole("dialog", { name: /Export/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await go("create api key");
  await expect(page.getByRole("dialog", { name: "New API key" })).toBeVisible();
  await page.keyboard.press("Escape");
  await go("dark theme");
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await go("frobnicated widgets");
  await expect(page).toHaveURL(/q=frobnicated/);
});

test("arrow keys walk entries, the tab title follows, and the account menu lists shortcuts", async ({
  viewer,
  page,
}) => {
  await viewer.open("?action=user.login&result=success");
  await expect(page).toHaveTitle("user.login, Success · Audit log · Trailmark");
  await expect(viewer.entries().nth(1)).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("ArrowDown");
  await expect(viewer.entries().nth(1)).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(viewer.entries().first()).toBeFocused();
  await viewer.chips.getByRole("button", { name: /Remove filter Result/ }).click();
  await expect(page).toHaveTitle("user.login · Audit log · Trailmark");
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("button", { name: /Keyboard shortcuts/ }).click();
  await expect(page.getByRole("dialog", { name: "Keyboard" })).toContainText("Fold repeats");
});

test.describe("touch", () => {
  test.use({ hasTouch: true, viewport: PHONE });

  test("a long press opens the cell menu, and selected columns appear on the card", async ({ viewer, page }) => {
    await viewer.open("?action=user.login");
    const cell = viewer.table.locator('td[data-column="event"]').first();
    const hold = { pointerType: "touch", bubbles: true, clientX: 100, clientY: 300, isPrimary: true };
    await cell.dispatchEvent("pointerdown", hold);
    await expect(page.getByRole("menu")).toBeVisible();
    await page.keyboard.press("Escape");
    await viewer.open("?action=user.login&cols=time,event,seq");
    await expect(viewer.table.locator('td[data-column="seq"]').first()).toBeVisible();
    await page.getByRole("button", { name: "Display" }).click();
    await expect(page.getByRole("checkbox", { name: "Sequence" })).toBeChecked();
  });
});
