import type { Page } from "playwright/test";
import { ImportWizard, WORK_MS } from "@/e2e/pages/import";
import { Api } from "@/e2e/support/api";
import { expect, test } from "@/e2e/support/fixtures";
import { makeSmallWorld } from "@/e2e/support/import-world";

/** Focus is visible: by an outline, a ring or a border. */
async function expectVisibleFocus(page: Page) {
  const ring = await page.evaluate(() => {
    const focused = document.activeElement as HTMLElement;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(focused);
    return (
      (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none" || focused.matches("input, textarea")
    );
  });
  expect(ring, "the focus can be seen").toBe(true);
}

/** Background work of an import gives way to all else on the machine. */
test.describe.configure({ timeout: 720_000 });

test("keyboard only: a complete import", async ({ page, request }) => {
  const given = await makeSmallWorld(await Api.signIn(request));
  const wizard = new ImportWizard(page);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await page.goto("/settings/custom-fields");
  await wizard.tabTo(page.getByRole("link", { name: "Import", exact: true }));
  await press("Enter");
  const product = page.getByRole("radio", { name: "ConnectWise Automate" });
  await expect(product).toBeVisible();
  await wizard.tabTo(product);
  await press("ArrowDown", "ArrowUp");
  await expect(product).toBeChecked();

  await wizard.tabTo(page.getByRole("button", { name: "Choose files" }));
  await expectVisibleFocus(page);
  const chooser = page.waitForEvent("filechooser");
  await press("Enter");
  await (await chooser).setFiles({ name: "small.csv", mimeType: "text/csv", buffer: Buffer.from(given.csv) });

  await expect(wizard.step("Fields")).toBeFocused({ timeout: WORK_MS });
  await wizard.tabTo(page.getByRole("textbox", { name: `Name of the field for ${given.field}` }));
  await press("End");
  await page.keyboard.type(" no.");
  await press("Home");
  await page.keyboard.type("The ");
  await expect(page.getByRole("textbox", { name: `Name of the field for ${given.field}` })).toHaveValue(
    `The ${given.field} no.`,
  );
  await wizard.tabTo(page.getByRole("checkbox", { name: /Import the values that fit/ }));
  await press("Space");
  await wizard.tabTo(page.getByRole("button", { name: "Continue" }));
  await press("Enter");

  await expect(wizard.step("Values")).toBeFocused();
  await expect(page.getByRole("combobox", { name: "Source device ID" })).toHaveValue("Computer ID");
  await expect(page.getByRole("combobox", { name: "Hostname" })).toHaveValue("Computer Name");
  await expect(wizard.field(given.field)).toContainText(`to The ${given.field} no.`);
  await press("Enter");

  await expect(wizard.row(given.known)).toBeVisible({ timeout: WORK_MS });
  await expect(wizard.step("Check")).toBeFocused();
  await wizard.tabTo(page.getByRole("button", { name: /^Ambiguous/ }));
  await press("Space");
  await expect(wizard.row(given.known)).toHaveCount(0);
  await wizard.tabTo(wizard.open(1));
  await press("ArrowDown", "ArrowUp", "Enter");
  const drawer = page.getByRole("dialog", { name: /^Row/ });
  await expect(drawer.getByRole("radio").first()).toBeFocused();
  await expectVisibleFocus(page);
  await press("Space");
  await expect(drawer.getByRole("button", { name: "Clear selection" })).toBeVisible();
  await expect(drawer.getByRole("radio").first()).toBeFocused();
  await press("j");
  await expect(drawer.getByText(given.twins[1] as string).first()).toBeVisible();
  await press("Escape");
  await expect(drawer).toHaveCount(0);
  await expect(wizard.open(1)).toBeFocused();
  await expect(wizard.row(given.twins[0] as string)).toContainText("Picked");
  await expect(page.getByText("1 ambiguous row is applied to the device that was picked.")).toBeVisible();
  await expect(page.getByText("1 ambiguous row is skipped unless you pick a device.")).toBeVisible();
  await wizard.tabTo(page.getByRole("button", { name: "Run import" }));
  await press("Enter");

  await expect(wizard.step("Report")).toBeFocused({ timeout: WORK_MS });
  await expect(wizard.figure("Devices changed")).toContainText("3");
  await expect(wizard.figure("Values written")).toContainText("confirmed in the database");
  for (const outcome of ["Device picked", "Ambiguous"]) await expect(wizard.figure(outcome)).toContainText("1");
  await wizard.tabTo(page.getByRole("link", { name: "Rows not applied (CSV)" }));
  const download = page.waitForEvent("download");
  await press("Enter");
  expect((await download).suggestedFilename()).toBe("small-not-applied.csv");
  await wizard.tabTo(page.getByRole("button", { name: "Undo this import" }));
  await press("Enter");
  await expect(page.getByRole("dialog").getByRole("button", { name: "Cancel" })).toBeFocused();
  await press("Tab", "Enter");
  await expect(page.getByText(/This import was undone: \d values were restored/)).toBeVisible({ timeout: WORK_MS });
  await expect(wizard.step("Report")).toBeFocused();
});
