import { SignInPage } from "@/e2e/pages/sign-in";
import { Api } from "@/e2e/support/api";
import { expect, expectAccessibleInBoth, test } from "@/e2e/support/fixtures";

const COLUMNS = "cols=time,type,event,action,ip,result";

test("a cell's menu filters by its value or excludes it", async ({ viewer, page }) => {
  await viewer.open(`?action=user&${COLUMNS}`);
  const cell = viewer
    .row(/signed in/)
    .first()
    .getByRole("cell", { name: "user.login", exact: true });
  await cell.hover();
  await page.getByRole("button", { name: "More from this cell" }).click();
  const menu = page.getByRole("menu", { name: "Action: user.login" });
  await expect(menu).toBeVisible();
  await menu.getByRole("menuitem", { name: "Filter out user.login" }).click();
  await expect(page).toHaveURL(/excludeActions=user\.login/);
  await expect(viewer.entries(/signed in/)).toHaveCount(0);
  await page.goBack();
  await expect(viewer.entries(/signed in/).first()).toBeVisible();
});

test("a cell's name opens its page, and the rest of the row opens the entry", async ({ viewer, page }) => {
  await viewer.open("?action=user.login&cols=time,type,event,ip");
  const row = viewer.row(/signed in/).first();
  const address = row.locator("[data-column=ip]").getByRole("link");
  const ip = await address.innerText();
  await address.click();
  await expect(page.getByRole("heading", { level: 1, name: ip })).toBeVisible();
  await page.goBack();
  await row.locator("[data-column=type]").getByRole("link").click();
  await expect(page).toHaveURL(/\/actors\//);
  await page.goBack();
  await row.locator("[data-column=time]").click();
  await expect(viewer.drawer).toBeVisible();
});

test("the m key opens the focused entry menu, and arrow keys walk its cells", async ({ viewer, page }) => {
  await viewer.open(`?action=user.login&result=success&${COLUMNS}`);
  const first = viewer.entries(/signed in/).first();
  await expect(first).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("m");
  await expect(page.getByRole("menu", { name: /^Entry: / })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("menu", { name: "Action: user.login" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: "Filter for user.login" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("menuitem", { name: "Filter out user.login" })).toBeFocused();
  await expectAccessibleInBoth(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
  await expect(first).toBeFocused();
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: /^Timeline of / }).press("Enter");
  await expect(page).toHaveURL(/actorId=/);
  await expect(page).not.toHaveURL(/action=/);
});

test("facts of an open entry link to filters, also on the entry's page", async ({ viewer, page, guest, request }) => {
  // Has signed in once: several sign-ins after each other are one line.
  const person = await (await Api.signIn(request)).createPerson({ role: "partner_technician" });
  await new SignInPage(guest).signIn(person);
  await viewer.open(`?action=user.login&actorId=${person.id}`);
  await viewer.untilShown(/signed in/);
  await viewer.openEntry(/signed in/);
  await viewer.drawer.getByRole("button", { name: "More from Who" }).click();
  await expectAccessibleInBoth(page);
  await viewer.drawer.getByRole("link", { name: /^Timeline of / }).click();
  await expect(page).toHaveURL(/actorId=/);
  await expect(page).not.toHaveURL(/action=/);
  await expect(viewer.drawer).toHaveCount(0);

  await viewer.openEntry(/signed in/);
  await viewer.drawer.getByRole("link", { name: "Open on its own page" }).click();
  await expect(page).toHaveURL(/\/audit\//);
  await page.getByRole("button", { name: "More from What" }).click();
  await page.getByRole("link", { name: "Filter for user.login" }).click();
  await expect(page).toHaveURL(/\/\?actions=user\.login$/);
  await expect(viewer.chips).toContainText("user.login");
});
