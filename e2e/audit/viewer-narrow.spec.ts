import { Columns } from "@/e2e/pages/columns";
import { ViewerPage } from "@/e2e/pages/viewer";
import { Api } from "@/e2e/support/api";
import { expect, patient, test } from "@/e2e/support/fixtures";

test("facets include or exclude a value, with counts, and Back undoes one step", async ({ viewer, page }) => {
  await viewer.open();
  await viewer.openFacets();
  const only = viewer.facets.getByRole("button", { name: /^user\.login [\d,+]+$/ });
  await only.click();
  await expect(page).toHaveURL(/actions=user\.login/);
  await expect(only).toHaveAttribute("aria-pressed", "true");
  await expect(viewer.entries(/created organization/)).toHaveCount(0);
  await expect(viewer.entries(/signed in/).first()).toBeVisible();

  await viewer.facets.getByRole("button", { name: "Exclude Success" }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/exclude=result(:|%3A)success/);
  await expect(viewer.chips).toContainText("Without result");
  await page.goBack();
  await expect(page).not.toHaveURL(/exclude=/);
  await expect(page).toHaveURL(/actions=user\.login/);
  await page.goBack();
  await expect(page).not.toHaveURL(/actions=/);
  await expect(viewer.facets).toBeVisible();
});

test("an excluded user is named even if no entry on the page has the name", async ({ viewer, page }) => {
  await viewer.open("?action=user.login");
  await viewer.openFacets();
  await viewer.facets
    .getByRole("button", { name: /^Exclude .*Admin/ })
    .first()
    .focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/exclude=actorId/);
  const chip = page.getByRole("button", { name: /^Remove filter Without actor: .*Admin/ });
  await expect(chip).toBeVisible();
  await page.reload();
  await expect(chip).toBeVisible();
});

test("facet counts match the list", async ({ viewer, page }) => {
  // People sign in all the time beside it: what is counted had ended before.
  await viewer.open(`?action=user.login&to=${new Date().toISOString()}`);
  await viewer.openFacets();
  const told = await viewer.facets.getByRole("button", { name: /^Success [\d,]+$/ }).innerText();
  await viewer.facets.getByRole("button", { name: /^Success/ }).click();
  const count = told.replace(/\D/g, "");
  await expect(page.getByRole("status").filter({ hasText: /entr/ }).first()).toContainText(
    Number(count) > 50 ? `of ${Number(count).toLocaleString("en-GB")}` : `${count} entr`,
  );
});

test("the search box suggests qualifiers, then values from the log", async ({ viewer, page }) => {
  await viewer.open();
  await viewer.search.fill("resu");
  await expect(viewer.suggestions.getByRole("option")).toHaveCount(1);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(viewer.search).toHaveValue("result:");
  await viewer.suggestions.getByRole("option", { name: /^success/ }).click();
  await viewer.search.pressSequentially("action:user.log");
  await expect(viewer.suggestions.getByRole("option", { name: /^user\.login \d/ })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(viewer.search).toHaveValue("result:success action:user.login ");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/action=user\.login/);
  await expect(page).toHaveURL(/result=success/);
  await expect(viewer.search).toHaveValue("");
});

test("a minus sign excludes, an address filters, and chips undo each", async ({ viewer, page }) => {
  await viewer.open();
  await viewer.searchFor("-action:user.login ip:192.0.2.");
  await expect(viewer.chips).toContainText("Without action");
  await expect(page.getByRole("heading", { name: "Nothing matches" })).toBeVisible();
  await page.getByRole("button", { name: /Remove filter Address/ }).click();
  await expect(viewer.entries().first()).toBeVisible();
  await expect(viewer.entries(/signed in/)).toHaveCount(0);
});

test("the Display menu hides routine agent telemetry, and a chip shows it again", async ({ viewer, page }) => {
  await viewer.open("?excludeActions=user.logout");
  const display = new Columns(page);
  await display.open();
  await display.tick("Hide routine agent telemetry").check();
  await expect(page).toHaveURL(/agent\.eventlogs\.submit/);
  await display.close();
  await expect(viewer.chips.getByText("agent.eventlogs.submit")).toHaveCount(0);
  await viewer.chips.getByRole("button", { name: "Remove filter Without: routine telemetry" }).click();
  await expect(page).toHaveURL(/excludeActions=user\.logout(&|$)/);
});

test("dragging or keys zoom the histogram in, and Back zooms out", async ({ viewer, page }) => {
  await viewer.open("?range=24h");
  await expect(viewer.histogram).toHaveAttribute("aria-valuetext", /entr/);
  const box = await viewer.histogram.boundingBox();
  if (!box) throw new Error("the histogram has no box");
  await page.mouse.move(box.x + box.width * 0.5, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + 20, { steps: 4 });
  const last = await viewer.histogram.getAttribute("aria-valuemax");
  await expect(viewer.histogram).toHaveAttribute("aria-valuenow", last ?? "");
  await page.mouse.up();
  await expect(page).toHaveURL(/from=.*to=/);
  await expect(page).not.toHaveURL(/range=/);
  await expect(viewer.entries().first()).toBeVisible();
  const dragged = page.url();
  await viewer.histogram.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Enter");
  await expect(page).not.toHaveURL(dragged);
  await page.goBack();
  await expect(page).toHaveURL(dragged);
  await page.goBack();
  await expect(page).toHaveURL(/range=24h/);
});

test("a copied link fixes the range and includes the time zone", async ({ browser, admin, baseURL }) => {
  const context = await browser.newContext({
    baseURL,
    storageState: admin,
    timezoneId: "Asia/Tokyo",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await patient(await context.newPage());
  await page.goto("/?range=1h&action=user.login");
  await new ViewerPage(page).copyLink();
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  expect(link.searchParams.get("range")).toBeNull();
  expect(Date.parse(link.searchParams.get("to") ?? "")).toBeLessThanOrEqual(Date.now());
  await context.close();

  const elsewhere = await browser.newContext({ baseURL, storageState: admin, timezoneId: "America/New_York" });
  const other = await patient(await elsewhere.newPage());
  await other.goto(link.href);
  await expect(other.getByText(/^Times in Asia\/Tokyo, UTC\+9/)).toBeVisible();
  await expect(other.getByRole("list", { name: "Active filters" })).toContainText("user.login");
  await elsewhere.close();
});

test("an entry outside the filter is loaded from the server and verified again", async ({ viewer, page, request }) => {
  await viewer.open("?action=user.login");
  await viewer.openEntry(/signed in/);
  await expect(page).toHaveURL(/row=/);
  const row = new URL(page.url()).searchParams.get("row");
  // Verified is what a checkpoint covers: the next one would be signed within a minute.
  const api = await Api.signIn(request);
  const { orgId } = await api.call<{ orgId: string }>("GET", `/audit-logs/logs/${row}`);
  await api.call("GET", `/audit-logs/checkpoints?orgId=${orgId}&sign=true`);
  await page.goto(`/?result=denied&q=nothing-like-this&row=${row}`);
  await expect(viewer.drawer.getByRole("heading", { name: /signed in/ })).toBeVisible();
  await expect(viewer.drawer.getByRole("region", { name: "Position in the chain" })).toContainText("Verified");
});
