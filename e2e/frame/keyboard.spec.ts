import { ViewerPage } from "@/e2e/pages/viewer";
import { Api } from "@/e2e/support/api";
import { expect, test } from "@/e2e/support/fixtures";
import { ADMIN } from "@/testing/server";

test("keyboard only: from the sign-in page to an entry's changes", async ({ guest, request }) => {
  const api = await Api.signIn(request);
  const name = `Typed ${crypto.randomUUID().slice(0, 8)}`;
  const orgId = await api.makeOrganization(name);
  await api.call("PATCH", `/orgs/organizations/${orgId}`, { name: `${name} Ltd` });
  const { keyboard } = guest;

  await guest.goto("/login");
  await expect(guest.getByLabel("E-mail")).toBeFocused();
  await keyboard.type(ADMIN.email);
  await keyboard.press("Tab");
  await keyboard.type(ADMIN.password);
  await keyboard.press("Enter");
  await expect(guest.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();

  await keyboard.press("Control+k");
  await expect(guest.getByLabel("Go to a page, view, person, device or organization")).toBeFocused();
  await keyboard.type(name);
  await expect(
    guest
      .getByRole("option", { name: `${name} Ltd` })
      .or(guest.getByText(`${name} Ltd`))
      .first(),
  ).toBeVisible();
  await keyboard.press("Enter");
  await expect(guest).toHaveURL(new RegExp(`orgId=${orgId}`));
  await expect(guest.getByRole("dialog")).toHaveCount(0);

  await keyboard.press("/");
  await expect(guest.getByLabel("Search the audit log")).toBeFocused();
  await keyboard.type("action:organization.update");
  await keyboard.press("Enter");
  await expect(guest.getByRole("link", { name: new RegExp(`updated organization ${name}`) })).toBeVisible();
  // Until then the list is that of all organizations, which has this entry too.
  await expect(guest.getByText(`1 entry of ${name} Ltd`)).toBeVisible();
  const viewer = new ViewerPage(guest);
  await expect(viewer.entries()).toHaveCount(1);
  await keyboard.press("Escape");
  await keyboard.press("j");
  await keyboard.press("Enter");
  const changes = viewer.drawer.getByRole("table", { name: /^What changed/ });
  await expect(changes).toContainText(`${name} Ltd`);
});
