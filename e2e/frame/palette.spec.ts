import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

test("Ctrl K leads to a page by its name, the question mark shows the keys", async ({ page }) => {
  await page.goto("/devices");
  await expect(page.getByRole("heading", { level: 1, name: "Devices" })).toBeVisible();
  await page.keyboard.press("Control+k");
  const search = page.getByLabel("Go to a page, view, device or organization");
  await expect(search).toBeVisible();
  await expectAccessible(page);
  await search.fill("script");
  await search.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Scripts" })).toBeVisible();
  await expect(search).toHaveCount(0);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard" })).toContainText("Ctrl");
  await expectAccessible(page);
});
