import { Api } from "@/e2e/support/api";
import { expect, patient, test } from "@/e2e/support/fixtures";

test("filters appear in the URL and as chips, and are restored from the URL", async ({ viewer, page }) => {
  await viewer.open();
  await viewer.searchFor("action:user.login result:success");
  await expect(page).toHaveURL(/action=user\.login/);
  await expect(page).toHaveURL(/result=success/);
  await expect(viewer.chips).toContainText("user.login");
  await expect(viewer.entries(/signed in/).first()).toBeVisible();
  await expect(viewer.entries(/created organization/)).toHaveCount(0);

  await page.reload();
  await expect(viewer.chips).toContainText("Success");
  await expect(viewer.entries(/created organization/)).toHaveCount(0);

  await page.goBack();
  await expect(page.getByRole("button", { name: /Remove filter/ })).toHaveCount(0);
  await expect(viewer.entries(/created organization/).first()).toBeVisible();
});

test("no matches shows a message with a way back", async ({ viewer, page }) => {
  // The browser takes over the server's page as it is: markup that it has to mend is drawn a second time.
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  await viewer.open("?result=denied&user=nobody-of-that-name");
  await expect(page.getByRole("heading", { name: "Nothing matches" })).toBeVisible();
  await expect(page.locator("body:not([aria-busy])")).toBeAttached();
  expect(errors).toEqual([]);
  await page.getByRole("button", { name: "Clear the last filter" }).click();
  await expect(page).not.toHaveURL(/user=/);
  await expect(page).toHaveURL(/result=denied/);
});

test("shows a past range, and reports an invalid URL", async ({ viewer, page }) => {
  await viewer.open("?range=often&fold=false");
  await expect(page.getByRole("status").filter({ hasText: "range=often" })).toBeVisible();
  await expect(viewer.entries().first()).toBeVisible();
  await page.getByRole("button", { name: /Time range/ }).click();
  await page.getByRole("button", { name: /Last hour/ }).click();
  await expect(page).toHaveURL(/range=1h/);
  await expect(viewer.entries(/signed in/).first()).toBeVisible();
});

test("an entry opens beside the list with its chain position and its own URL", async ({ viewer, page }) => {
  await viewer.open("?action=user.login");
  await viewer.openEntry(/signed in/);
  await expect(viewer.drawer.getByRole("heading", { name: /signed in/ })).toBeVisible();
  await expect(viewer.drawer.getByRole("region", { name: "Position in the chain" })).toContainText(/[0-9a-f]{64}/);
  await expect(page).toHaveURL(/row=/);
  await page.reload();
  await expect(viewer.drawer).toBeVisible();
  await viewer.drawer.getByRole("link", { name: "Open on its own page" }).click();
  await expect(page).toHaveURL(/\/audit\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("heading", { level: 1, name: /signed in/ })).toBeVisible();
  await expect(page).toHaveTitle(/signed in · Trailmark/);
});

test("a missing entry is reported as missing, not shown empty", async ({ page }) => {
  await page.goto("/audit/00000000-0000-7000-8000-000000000000");
  await expect(page.getByRole("alert").filter({ hasText: "Could not find this entry" })).toBeVisible();
});

test("browse, open and leave the list by keyboard only", async ({ viewer, page }) => {
  await viewer.open("?action=user");
  const [first, second] = [viewer.entries().nth(0), viewer.entries().nth(1)];
  await expect(second).toBeVisible();
  await page.keyboard.press("j");
  await expect(first).toBeFocused();
  await page.keyboard.press("j");
  await expect(second).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(viewer.drawer).toBeVisible();
  await expect(page).toHaveURL(/row=/);
  const opened = page.url();
  await page.keyboard.press("k");
  await expect(page).not.toHaveURL(opened);
  await page.keyboard.press("Escape");
  await expect(viewer.drawer).toHaveCount(0);
  await expect(first).toBeFocused();
  await page.keyboard.press("/");
  await expect(viewer.search).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard" })).toBeVisible();
});

test("times switch to UTC, and the URL keeps the choice", async ({ browser, admin, baseURL }) => {
  const context = await browser.newContext({ baseURL, storageState: admin, timezoneId: "Asia/Tokyo" });
  const page = await patient(await context.newPage());
  await page.goto("/");
  await expect(page.getByText(/^Times in Asia\/Tokyo, UTC\+9/)).toBeVisible();
  await page.getByRole("button", { name: "Show UTC" }).click();
  await expect(page).toHaveURL(/tz=utc/);
  await expect(page.getByText(/^Times in UTC/)).toBeVisible();
  await context.close();
});

test("a 1440 by 900 screen fits 17 one-line entries, each with its first change", async ({ viewer, page, request }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization(`Dense ${crypto.randomUUID().slice(0, 8)}`);
  const events = Array.from({ length: 20 }, (_, i) => ({
    actorType: "user",
    actorEmail: "jane@dense.example",
    action: "policy.update",
    resourceType: "policy",
    resourceName: `Antivirus ${i}`,
    details: { before: { antivirus: "enabled" }, after: { antivirus: "disabled" } },
  }));
  await api.write(orgId, events);
  await viewer.open(`?orgId=${orgId}&action=policy.update`);
  await expect(viewer.row(/Antivirus 19/)).toContainText("antivirus: enabled → disabled");
  const boxes = await Promise.all((await viewer.entries().all()).map((entry) => entry.boundingBox()));
  expect(boxes.filter((box) => box !== null && box.y + box.height <= 900).length).toBeGreaterThanOrEqual(17);
});
