import { Api } from "@/e2e/support/api";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

test("a custom field is edited in place, by keyboard too, and stands in the device's audit history", async ({
  page,
  request,
}) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("In place");
  const { deviceId } = await api.enroll(orgId, "WS-PLACE");
  await page.goto(`/devices/${deviceId}`);
  await expect(page.getByRole("heading", { level: 1, name: "WS-PLACE" })).toBeVisible();
  await expect(page).toHaveTitle("WS-PLACE · Trailmark");

  const name = `Bought ${crypto.randomUUID().slice(0, 8)}`;
  await api.call("POST", "/custom-fields", { orgId, name, fieldKey: "bought_on", type: "date" });
  await page.reload();
  const edit = page.getByRole("button", { name: `Edit ${name}` });
  await edit.click();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(edit).toBeFocused();
  await page.keyboard.press("Enter");
  await page.getByLabel(name, { exact: true }).fill("2026-02-15");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("15 Feb 2026")).toBeVisible();
  await expect(edit).toBeFocused();

  await page.getByRole("tab", { name: "Audit history" }).click();
  const history = page.getByRole("table", { name: /audit entries about WS-PLACE/ });
  await expect(history.getByRole("link", { name: /custom fields of WS-PLACE/ })).toBeVisible();
  await page.getByRole("link", { name: "All audit entries about WS-PLACE" }).click();
  await expect(page).toHaveURL(new RegExp(`resourceId=${deviceId}`));
});

test("a field that is deleted says how many values go with it", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Deleting");
  const { deviceId } = await api.enroll(orgId, "WS-DELETES");
  const name = `Gone ${crypto.randomUUID().slice(0, 8)}`;
  await api.call("POST", "/custom-fields", { orgId, name, fieldKey: "gone_soon", type: "text" });
  await api.call("PATCH", `/devices/${deviceId}/custom-fields`, { gone_soon: "A-1" });
  await page.goto(`/settings/custom-fields?orgId=${orgId}`);
  const row = page.getByRole("row").filter({ hasText: name });
  await expect(row).toContainText("Deleting");
  const dialog = page.getByRole("dialog", { name: `Delete ${name}` });
  await row.getByRole("button", { name: `Delete ${name}` }).click();
  await expect(dialog).toContainText("1 device holds a value of this field. The values go with it");
  await dialog.getByRole("button", { name: "Delete field" }).click();
  await expect(row).toHaveCount(0);
});

test("the enrolment dialog gives the key and the one-line command", async ({ page, request }) => {
  const orgId = await (await Api.signIn(request)).makeOrganization("Enrolling");
  await page.goto(`/devices?orgId=${orgId}`);
  const making = page.getByRole("dialog", { name: "New enrollment key" });
  await page.getByRole("button", { name: "Enroll a device" }).click();
  await making.getByRole("button", { name: "Create key" }).click();
  const made = page.getByRole("dialog", { name: "Enroll devices of Enrolling" });
  await expect(made).toContainText(/npm run agent -- --url \S+ --enrollment-key tme_/);
  await expect(made).toContainText("Shown only once.");
  await expectAccessible(page);
});
