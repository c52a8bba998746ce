import { Api } from "@/e2e/support/api";
import { heldAt } from "@/e2e/support/faults";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

test("Ctrl+K opens a page by name, and the question mark lists shortcuts", async ({ page }) => {
  await page.goto("/devices");
  await expect(page.getByRole("heading", { level: 1, name: "Devices" })).toBeVisible();
  await page.keyboard.press("Control+k");
  const search = page.getByLabel("Go to a page, view, person, device or organization");
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

test("Enter selects the first result for the typed text, not an earlier one", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const mark = crypto.randomUUID().slice(0, 8);
  const hostname = `HURRIED-${mark}`;
  const orgId = await api.makeOrganization(`Enough ${mark}`);
  const { deviceId } = await api.enroll(orgId, hostname);
  await page.goto("/scripts");
  const search = page.getByLabel("Go to a page, view, person, device or organization");
  const open = async () => {
    await page.keyboard.press("Control+k");
    await expect(search).toBeFocused();
  };
  const mine = page
    .getByRole("dialog")
    .getByRole("button")
    .filter({ has: page.getByText(hostname, { exact: true }) });
  await open();
  await search.fill(hostname);
  await expect(mine).toBeVisible();

  // The answer to the organization's name is held back: what is shown is still of the device's name.
  const release = await heldAt(page, (url) => url.pathname.includes("devices.list") && url.search.includes("Enough"));
  const asked = page.waitForRequest((r) => r.url().includes("devices.list") && r.url().includes("Enough"));
  await search.fill(`Enough ${mark}`);
  await asked;
  await expect(mine).toHaveCount(0);
  release();
  await search.press("Enter");
  await expect(page).toHaveURL(new RegExp(`orgId=${orgId}`));
  await expect(search).toHaveCount(0);

  await open();
  await search.fill(hostname);
  await expect(mine).toBeVisible();
  await search.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/devices/${deviceId}`));
  await expect(search).toHaveCount(0);
});

test("Ctrl+K finds a person, whose page links to addresses, and clears the old input", async ({ page, request }) => {
  const { user } = await (await Api.signIn(request)).call<{ user: { name: string } }>("GET", "/me");
  await page.goto("/scripts");
  const search = page.getByLabel("Go to a page, view, person, device or organization");
  await page.keyboard.press("Control+k");
  await search.fill("something else");
  await page.keyboard.press("Escape");
  await expect(search).toHaveCount(0);
  await page.keyboard.press("Control+k");
  await expect(search).toHaveValue("");
  await search.fill(user.name);
  await search.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: user.name })).toBeVisible();
  await page.getByRole("region", { name: "Addresses" }).getByRole("link").first().click();
  await expect(page).toHaveURL(/\/addresses\?ip=/);
  // Most of all tests come from this address: those who did most are shown.
  await expect(page.getByRole("region", { name: "Actors" }).getByRole("link").first()).toBeVisible();
});
