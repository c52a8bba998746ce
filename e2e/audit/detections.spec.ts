import { SavedViewsMenu } from "@/e2e/pages/saved-views";
import { Api } from "@/e2e/support/api";
import { expect, expectAccessibleInBoth, expectSound, test } from "@/e2e/support/fixtures";

const deleted = (n: number, actorId = crypto.randomUUID()) =>
  Array.from({ length: n }, (_, i) => ({
    ...{ actorType: "user", actorId, actorEmail: "jane@example.test", action: "device.delete" },
    ...{ resourceType: "device", resourceName: `WS-${i}` },
  }));

test("a list is saved as an alert rule, and its alert is opened and proven", async ({ page, request, viewer }) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Watched");
  const title = `Many deletions ${crypto.randomUUID().slice(0, 8)}`;
  await viewer.open(`?orgId=${orgId}&action=device.delete`);
  const views = new SavedViewsMenu(page);
  await views.open();
  await views.menu.getByRole("link", { name: "Save as alert" }).click();
  const dialog = page.getByRole("dialog", { name: "Save as alert" });
  await dialog.getByRole("textbox", { name: "Name" }).fill(title);
  await dialog.getByRole("textbox", { name: "At least" }).fill("3");
  const text = dialog.getByRole("textbox", { name: "Rule" });
  await expect(text).toHaveValue(new RegExp(`action\\|contains: device.delete[^]*title: ${title}[^]*gte: 3`));

  await text.fill((await text.inputValue()).replace("medium", "high"));
  await expect(dialog.getByText("The rule is written by hand")).toBeVisible();
  await dialog.getByRole("button", { name: "Write it from the form" }).click();
  await expect(text).toHaveValue(/level: medium/);
  await dialog.getByRole("button", { name: "Test over 30 days" }).click();
  await expect(dialog.getByText("It would have raised no alert in the last 30 days.")).toBeVisible();
  await dialog.getByRole("button", { name: "Create rule" }).click();
  await expect(dialog).toHaveCount(0);

  await api.write(orgId, deleted(3));
  await expect(async () => {
    await page.goto(`/alerts?orgId=${orgId}`);
    await expect(page.getByRole("button", { name: new RegExp(`^${title}`) })).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await page.getByRole("button", { name: new RegExp(`^${title}`) }).click();
  const alert = page.getByRole("dialog", { name: new RegExp(title) });
  await expect(alert.getByRole("region", { name: "Entries" }).getByRole("listitem")).toHaveCount(3);
  const download = page.waitForEvent("download");
  await alert.getByRole("link", { name: "Download evidence" }).click();
  expect((await download).suggestedFilename()).toMatch(/^alert-.*\.zip$/);

  await alert.getByRole("button", { name: "Add exception" }).click();
  const exception = page.getByRole("dialog", { name: new RegExp(`^Exception for ${title}`) });
  await expect(exception.getByRole("combobox", { name: "Entries of" })).toHaveValue("jane@example.test (person)");
  await exception.getByRole("textbox", { name: "Reason" }).fill("Replaces old laptops");
  await expectAccessibleInBoth(page);
  await exception.getByRole("button", { name: "Add exception" }).click();
  await alert.getByRole("combobox", { name: "Assigned to" }).click();
  await page.getByRole("option", { name: /\(you\)$/ }).click();
  await alert.getByRole("button", { name: "Save" }).click();
  await expect(alert).toHaveCount(0);

  await page.goto(`/settings/detections?orgId=${orgId}`);
  await page.getByRole("button", { name: `Snooze ${title}` }).click();
  await expect(page.getByRole("row").filter({ hasText: title })).toContainText("Snoozed");
  await page.getByRole("button", { name: `Edit ${title}` }).click();
  const exceptions = page.getByRole("region", { name: "Exceptions" });
  await expect(exceptions).toContainText("user.email jane@example.test: Replaces old laptops");
  await expectSound(page);
  await exceptions.getByRole("button", { name: /^Remove/ }).click();
  await expect(exceptions).toHaveCount(0);
});
