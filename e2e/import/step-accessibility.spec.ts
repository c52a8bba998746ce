import { ImportWizard, WORK_MS } from "@/e2e/pages/import";
import { Api } from "@/e2e/support/api";
import { expect, expectSound, test } from "@/e2e/support/fixtures";
import { makeSmallWorld } from "@/e2e/support/import-world";

test("import steps have no accessibility violations on desktop and phone", async ({ page, request }) => {
  test.slow();
  const wizard = new ImportWizard(page);
  const given = await makeSmallWorld(await Api.signIn(request));
  await wizard.begin();
  await expectSound(page);
  await page.locator("input[type=file]").setInputFiles([
    { name: "small.csv", mimeType: "text/csv", buffer: Buffer.from(given.csv) },
    {
      name: "fields.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("Title,Scope,Type\nVPN,Client,Text\nRack,Location,Text\n"),
    },
  ]);
  await expect(page.getByText("2 fields: VPN, Rack")).toBeVisible({ timeout: WORK_MS });
  await expectSound(page);
  await wizard.go("Read the files", "Fields");
  await expect(page.getByText("2 fields are not imported.")).toBeVisible();
  await expectSound(page);
  await page.getByRole("checkbox", { name: /Import the values that fit/ }).check();
  await wizard.go("Continue", "Values");
  await expectSound(page);
  await wizard.go("Check all rows", "Check");
  for (const outcome of [
    "Matched by source ID",
    "Matched by hostname",
    "Ambiguous",
    "Identity conflict",
    "Not found",
    "Unreadable row",
  ])
    await expect(wizard.row(outcome).first()).toBeVisible();
  for (const outcome of ["Set", "Same", "Kept: device has another value", "Invalid", "Empty"])
    await expect(wizard.count(outcome)).toBeVisible();
  await expectSound(page);
  await page.getByRole("button", { name: /^Ambiguous/ }).click();
  await wizard
    .row(given.twins[0] as string)
    .getByRole("button", { name: /Open row/ })
    .click();
  await expect(page.getByRole("dialog").getByRole("radio").first()).toBeVisible();
  await expectSound(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expectSound(page);
  await wizard.go("Run import", "Report");
  await expectSound(page);
});
