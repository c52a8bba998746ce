import { SavedViewsMenu } from "@/e2e/pages/saved-views";
import { SignInPage } from "@/e2e/pages/sign-in";
import { ViewerPage } from "@/e2e/pages/viewer";
import { Api } from "@/e2e/support/api";
import { held } from "@/e2e/support/faults";
import { expect, expectAccessibleInBoth, expectSound, PHONE, test } from "@/e2e/support/fixtures";

const fresh = (name: string) => `${name} ${crypto.randomUUID().slice(0, 8)}`;

test("save, select, update, rename and delete a view", async ({ viewer, page }) => {
  const views = new SavedViewsMenu(page);
  const [name, renamed] = [fresh("Sign-ins"), fresh("Failures")];
  await viewer.open("?action=user.login");
  await views.save(name);
  await expect(page.getByRole("dialog", { name: "Save this view" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Views", exact: true })).toBeFocused();

  await viewer.open("?range=30d");
  await views.pick(name);
  await expect(page).toHaveURL(/action=user\.login/);
  await expect(page).toHaveURL(/range=30d/);
  await page.goBack();
  await expect(page).not.toHaveURL(/action=/);

  await viewer.open("?result=failure");
  await views.change(name);
  await views.menu.getByRole("button", { name: "Update to the current view" }).click();
  await expect(views.view(name).getByRole("button", { name, exact: true })).toHaveAttribute("aria-pressed", "true");
  await views.menu.getByRole("button", { name: "Rename or share" }).click();
  const dialog = page.getByRole("dialog", { name: `Edit ${name}` });
  await dialog.getByRole("textbox", { name: "Name" }).fill(renamed);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);

  await views.change(renamed);
  await views.menu.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete view" }).click();
  await views.open();
  await expect(views.view(renamed)).toHaveCount(0);
});

test("a shared view is listed under Shared, and a taken name shows a field error", async ({ viewer, page }) => {
  const views = new SavedViewsMenu(page);
  const name = fresh("Exports");
  await viewer.open("?action=export");
  await views.save(name, /access to all organizations/);
  await views.open();
  await expect(
    views
      .group("Shared")
      .getByRole("button", { name: new RegExp(name) })
      .first(),
  ).toBeVisible();
  await views.close();
  await views.save(name.toUpperCase(), /access to all organizations/);
  const dialog = page.getByRole("dialog", { name: "Save this view" });
  await expect(dialog.getByText("There is a view of that name already")).toBeVisible();
  await expect(dialog.getByRole("textbox", { name: "Name" })).toHaveAttribute("aria-invalid", "true");
});

test("the command palette opens a view from any page", async ({ page }) => {
  await page.goto("/devices");
  await expect(page.getByRole("heading", { level: 1, name: "Devices" })).toBeVisible();
  await page.keyboard.press("Control+k");
  const search = page.getByLabel("Go to a page, view, person, device or organization");
  await search.fill("failed sign");
  await search.press("Enter");
  await expect(page).toHaveURL(/action=user\.login\.failed/);
  await expect(page.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
});

test("Esc closes the menu even without focus", async ({ viewer, page }) => {
  const views = new SavedViewsMenu(page);
  await viewer.open();
  await views.open();
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  await page.keyboard.press("Escape");
  await expect(views.menu).toHaveCount(0);
});

test("the views menu cannot be clicked until fully loaded", async ({ viewer, page }) => {
  const views = new SavedViewsMenu(page);
  await viewer.open("?action=user.login");
  const answer = await held(page, "savedViews.list");
  const asked = page.waitForRequest(/savedViews\.list/);
  await page.getByRole("button", { name: "Views", exact: true }).click();
  await asked;
  await expect(views.menu.getByRole("status", { name: "Loading" })).toBeVisible();
  await expect(views.menu.getByRole("button")).toHaveCount(0);
  answer();
  await expect(views.menu.getByRole("button", { name: "Save this view" })).toBeVisible();
});

test("the views menu works by keyboard only", async ({ viewer, page }) => {
  const views = new SavedViewsMenu(page);
  await viewer.open();
  await page.getByRole("button", { name: "Views", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(views.menu).toBeVisible();
  const denied = views.view("Denied actions").getByRole("button");
  await denied.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/result=denied/);
  await expect(page.getByRole("button", { name: "Views", exact: true })).toBeFocused();
});

test("a viewer can save views but sees that the role cannot share them", async ({ request, guest }) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Keepers");
  await new SignInPage(guest).signIn(await api.createPerson({ role: "org_viewer", orgId }));
  await new ViewerPage(guest).open("?action=user.login");
  const views = new SavedViewsMenu(guest);
  await views.open();
  await views.menu.getByRole("button", { name: "Save this view" }).click();
  const dialog = guest.getByRole("dialog", { name: "Save this view" });
  await expect(dialog.getByText("Only you will see it")).toBeVisible();
  await expect(dialog.getByRole("combobox", { name: "Who sees it" })).toHaveCount(0);
  await dialog.getByRole("textbox", { name: "Name" }).fill("Mine alone");
  await dialog.getByRole("button", { name: "Save" }).click();
  await views.open();
  await expect(views.group("Mine").getByRole("button", { name: "Mine alone", exact: true })).toBeVisible();
});

test("views menu and dialogs have no accessibility violations on desktop and phone", async ({ viewer, page }) => {
  const views = new SavedViewsMenu(page);
  const name = fresh("Seen");
  await viewer.open("?action=user.login&range=7d");
  await views.save(name);
  await views.change(name);
  await expectSound(page);
  await page.setViewportSize(PHONE);
  await views.menu.getByRole("button", { name: "Rename or share" }).click();
  await expect(page.getByRole("dialog", { name: `Edit ${name}` })).toBeVisible();
  await expectAccessibleInBoth(page);
  await page.keyboard.press("Escape");
  await views.open();
  await views.menu.getByRole("button", { name: "Save this view" }).click();
  await expect(page.getByRole("checkbox", { name: /time range/ })).toBeVisible();
  await expectAccessibleInBoth(page);
});
