import { Api } from "@/e2e/support/api";
import { held } from "@/e2e/support/faults";
import { expect, test } from "@/e2e/support/fixtures";

let orgId = "";
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ baseURL });
  const api = await Api.signIn(request);
  orgId = await api.makeChain("Keeps");
  await api.enroll(orgId, "WS-KEEPS");
  await request.dispose();
});

test("the old rows stay, dimmed, until the new ones are there", async ({ page }) => {
  await page.goto(`/devices?orgId=${orgId}`);
  const table = page.getByRole("table", { name: "Devices" });
  await expect(table.getByRole("link", { name: "WS-KEEPS" })).toBeVisible();
  const release = await held(page, "devices.list");
  await page.getByLabel("Search by name", { exact: true }).fill("KEEPS");
  await expect(table).toHaveAttribute("aria-busy", "true");
  await expect(table.getByRole("link", { name: "WS-KEEPS" })).toBeVisible();
  await expect(page.getByRole("status", { name: /Loading/ })).toHaveCount(0);
  release();
  await expect(table).toHaveAttribute("aria-busy", "false");
});

test("a report keeps its numbers while another range is asked for", async ({ page }) => {
  await page.goto(`/reports?orgId=${orgId}`);
  const numbers = page.getByText("User activity in numbers").or(page.getByLabel("User activity in numbers"));
  await expect(numbers).toBeVisible();
  const release = await held(page, "audit.reportUserActivity");
  await page.getByRole("button", { name: /Time range/ }).click();
  await page.getByRole("button", { name: /Last hour/ }).click();
  await expect(page.locator("[aria-busy=true]").filter({ has: numbers })).toBeVisible();
  release();
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
});

test("Back undoes one step at a time, on the devices and on the reports", async ({ page }) => {
  await page.goto("/devices");
  await page.getByLabel("Search by name", { exact: true }).fill("WS-KE");
  await expect(page).toHaveURL(/search=WS-KE/);
  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "Offline" }).click();
  await expect(page).toHaveURL(/state=offline/);
  await page.goBack();
  await expect(page).toHaveURL("/devices?search=WS-KE");
  await page.goBack();
  await expect(page).toHaveURL("/devices");
  await expect(page.getByLabel("Search by name")).toHaveValue("");

  await page.goto("/reports");
  await page.getByRole("tab", { name: "Compliance" }).click();
  await expect(page).toHaveURL(/report=compliance/);
  await page.getByRole("button", { name: /Time range/ }).click();
  await page.getByRole("button", { name: /Last 7 days/ }).click();
  await expect(page).toHaveURL(/range=7d/);
  await page.goBack();
  await expect(page).toHaveURL("/reports?report=compliance");
  await page.goBack();
  await expect(page).toHaveURL("/reports");
  await expect(page.getByRole("tab", { name: "User activity" })).toHaveAttribute("aria-selected", "true");
});
