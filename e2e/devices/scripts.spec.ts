import { ScriptsPage } from "@/e2e/pages/scripts";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

test("find, read and copy a script", async ({ page }) => {
  const scripts = new ScriptsPage(page);
  await scripts.open();
  await scripts.search("print queue");
  await expect(page).toHaveURL(/search=print/);
  await expect(scripts.rows.first()).toContainText("Clear the print queue");
  await scripts.rows.first().getByRole("button").click();
  const drawer = page.getByRole("dialog", { name: "Clear the print queue" });
  await expect(drawer.getByRole("region", { name: "Text of Clear the print queue" })).toBeVisible();
  await expect(drawer.getByRole("button", { name: "Copy: Text of Clear the print queue" })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await scripts.search("no such script anywhere");
  await expect(page.getByRole("heading", { name: 'No results for "no such script anywhere"' })).toBeVisible();
  await page.getByRole("button", { name: "Clear the search" }).last().click();
  await expect(scripts.rows).not.toHaveCount(0);
});
