import type { Page } from "@playwright/test";
import { Api } from "@/e2e/support/api";
import { expect, expectSound, test } from "@/e2e/support/fixtures";

let ids: Record<string, string> = {};
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ baseURL });
  const api = await Api.signIn(request);
  const orgId = await api.makeChain(`Dialogs ${crypto.randomUUID().slice(0, 8)}`);
  const { deviceId } = await api.enroll(orgId, "WS-DIALOGS");
  const name = `Asset ${crypto.randomUUID().slice(0, 8)}`;
  await api.call("POST", "/custom-fields", { orgId, name, fieldKey: "asset_tag", type: "text" });
  await api.call("PATCH", `/devices/${deviceId}/custom-fields`, { asset_tag: "A-1" });
  await api.call("POST", "/api-keys", { name: "Dialog key", orgId, permissions: ["audit:read"] });
  const email = `${crypto.randomUUID().slice(0, 8)}@dialogs.example`;
  await api.call("POST", "/users", {
    email,
    password: "a long enough password",
    name: "Dora",
    role: "org_viewer",
    orgId,
  });
  ids = { ORG: orgId, DEVICE: deviceId, FIELD: name };
  await request.dispose();
});

const at = (path: string) => path.replace(/ORG|DEVICE/, (name) => ids[name] ?? "");

type Opening = { name: string | RegExp; path: string; open: (page: Page) => Promise<void> };
const press = (button: string | RegExp) => (page: Page) => page.getByRole("button", { name: button }).first().click();

/** Every dialog of these pages and the way to it. */
const DIALOGS: Opening[] = [
  { name: "Organization", path: "/devices", open: press(/^Organization:/) },
  { name: "Account", path: "/devices", open: press(/^Account of/) },
  { name: "Colour scheme", path: "/devices", open: press("Colour scheme") },
  { name: "Keyboard", path: "/devices", open: (page) => page.keyboard.press("?") },
  { name: "New enrollment key", path: "/devices", open: press("Enroll a device") },
  { name: "New organization", path: "/settings/organizations", open: press("New organization") },
  { name: "Invite user", path: "/settings/users", open: press("Invite user") },
  { name: "Set up an authenticator app", path: "/account", open: press("Set up an app") },
  { name: /^Reset the password/, path: "/settings/users?orgId=ORG", open: press(/^Reset the password of Dora/) },
  {
    name: /^Link for Dora/,
    path: "/settings/users?orgId=ORG",
    open: async (page) => {
      await press(/^Reset the password of Dora/)(page);
      await press("Create link")(page);
    },
  },
  { name: "New API key", path: "/settings/api-keys", open: press("New API key") },
  { name: "New enrollment key", path: "/settings/enrollment", open: press("New enrollment key") },
  { name: "Edit organization", path: "/settings/organizations", open: press(/^Edit /) },
  { name: /^Edit/, path: "/settings/users?orgId=ORG", open: press(/^Edit Dora/) },
  { name: "Revoke Dialog key", path: "/settings/api-keys?orgId=ORG", open: press(/^Revoke /) },
  { name: /^Revoke tme_/, path: "/settings/enrollment?orgId=ORG", open: press(/^Revoke /) },
  { name: "New custom field", path: "/settings/custom-fields?orgId=ORG", open: press("New field") },
  { name: /^Edit/, path: "/settings/custom-fields?orgId=ORG", open: (page) => press(`Edit ${ids.FIELD}`)(page) },
  { name: /^Delete/, path: "/settings/custom-fields?orgId=ORG", open: (page) => press(`Delete ${ids.FIELD}`)(page) },
];

for (const { name, path, open } of DIALOGS)
  test(`the dialog ${name} of ${path} has no accessibility violation`, async ({ page }) => {
    await page.goto(at(path));
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await open(page);
    const dialog = page.getByRole("dialog", { name });
    await expectSound(page, () => expect(dialog).toBeVisible());
  });
