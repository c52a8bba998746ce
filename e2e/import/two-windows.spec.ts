import type { Page } from "playwright/test";
import { ImportWizard } from "@/e2e/pages/import";
import { expect, patient, test } from "@/e2e/support/fixtures";

/** Background work of an import gives way to all else on the machine. */
test.describe.configure({ timeout: 720_000 });

test("a stale window cannot overwrite a mapping saved in another", async ({ page }) => {
  const field = `Shelf ${crypto.randomUUID().slice(0, 8)}`;
  const name = (window: Page) => window.getByRole("textbox", { name: `Name of the field for ${field}` });
  const first = new ImportWizard(page);
  await first.begin();
  await first.read("shelves.csv", `Computer ID,Computer Name,${field}\r\n1,PC-1,A\r\n2,PC-2,B\r\n`);
  await expect(page).toHaveURL(/step=fields/);
  const other = await patient(await page.context().newPage());
  await other.goto(page.url());
  const saved = other.waitForResponse(/imports\.savePlan/);
  await name(other).fill("Drawer");
  await saved;

  const refusal = page.getByText("Somebody has changed this import, perhaps in another window.");
  await name(page).fill("Cupboard");
  await expect(refusal).toBeVisible();
  await expect(name(page)).toHaveValue("Drawer");
  await name(page).fill("Cupboard");
  await expect(refusal).toHaveCount(0);
  await first.go("Continue", "Values");
  await other.reload();
  await expect(name(other)).toHaveValue("Cupboard");
});
