import { Frame } from "@/e2e/pages/frame";
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

test("old rows stay dimmed until new ones arrive", async ({ page }) => {
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

test("Back undoes one step at a time in devices and reports", async ({ page }) => {
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

test("switching the organization or device tab returns to the first page", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const name = `Switched ${crypto.randomUUID().slice(0, 8)}`;
  const other = await api.makeChain(name);
  const { deviceId } = await api.enroll(other, "WS-SWITCHED");
  const newest = `/audit-logs?orgId=${orgId}&limit=1`;
  const { pagination } = await api.call<{ pagination: { nextCursor: string } }>("GET", newest);
  await page.goto(`/?orgId=${orgId}&result=success&cursor=${pagination.nextCursor}`);
  await expect(page.getByRole("button", { name: "Newest" })).toBeEnabled();
  await new Frame(page).switchTo(name);
  await expect(page).toHaveURL(`/?orgId=${other}&result=success`);
  await page.goto(`/devices?orgId=${orgId}&search=WS&page=2`);
  await expect(page.getByText("There is nothing on this page")).toBeVisible();
  await new Frame(page).switchTo(name);
  await expect(page).toHaveURL(`/devices?orgId=${other}&search=WS`);
  await expect(page.getByRole("link", { name: "WS-SWITCHED" })).toBeVisible();
  await page.goto(`/devices/${deviceId}?tab=diagnostics&page=2`);
  await page.getByRole("tab", { name: "Event logs", exact: true }).click();
  await expect(page).toHaveURL(`/devices/${deviceId}?tab=events`);
});
