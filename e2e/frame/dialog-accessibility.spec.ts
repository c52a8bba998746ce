import type { Page } from "playwright/test";
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
  await api.createPerson({ name: "Dora", role: "org_viewer", orgId });
  ids = { ORG: orgId, DEVICE: deviceId, FIELD: name };
  await request.dispose();
});

const at = (path: string) => path.replace(/ORG|DEVICE/, (name) => ids[name] ?? "");

type Opening = { name: string | RegExp; open: (page: Page) => Promise<void> };
const press = (button: string | RegExp) => (page: Page) => page.getByRole("button", { name: button }).first().click();

/** Every dialog of these pages and the way to it, one after the other. */
const DIALOGS: [path: string, dialogs: Opening[]][] = [
  [
    "/devices",
    [
      { name: "Organization", open: press(/^Organization:/) },
      { name: "Account", open: press(/^Account of/) },
      { name: "Color scheme", open: press("Color scheme") },
      { name: "Keyboard", open: (page) => page.keyboard.press("?") },
      { name: "New enrollment key", open: press("Enroll a device") },
    ],
  ],
  ["/organizations", [{ name: "New organization", open: press("New organization") }]],
  ["/organizations/ORG", [{ name: "Edit organization", open: press("Edit") }]],
  ["/settings/users", [{ name: "Invite user", open: press("Invite user") }]],
  ["/account", [{ name: "Set up an authenticator app", open: press("Set up an app") }]],
  [
    "/settings/users?orgId=ORG",
    [
      { name: /^Edit/, open: press(/^Edit Dora/) },
      { name: /^Reset the password/, open: press(/^Reset the password of Dora/) },
      {
        name: /^Link for Dora/,
        open: async (page) => {
          await press(/^Reset the password of Dora/)(page);
          await press("Create link")(page);
        },
      },
    ],
  ],
  ["/settings/api-keys", [{ name: "New API key", open: press("New API key") }]],
  ["/settings/api-keys?orgId=ORG", [{ name: "Revoke Dialog key", open: press(/^Revoke /) }]],
  ["/settings/enrollment", [{ name: "New enrollment key", open: press("New enrollment key") }]],
  ["/settings/enrollment?orgId=ORG", [{ name: /^Revoke tme_/, open: press(/^Revoke /) }]],
  [
    "/settings/custom-fields?orgId=ORG",
    [
      { name: "New custom field", open: press("New field") },
      { name: /^Edit/, open: (page) => press(`Edit ${ids.FIELD}`)(page) },
      { name: /^Delete/, open: (page) => press(`Delete ${ids.FIELD}`)(page) },
    ],
  ],
];

for (const [path, dialogs] of DIALOGS)
  test(`dialogs of ${path} have no accessibility violations`, async ({ page }) => {
    await page.goto(at(path));
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    for (const { name, open } of dialogs)
      await test.step(`dialog ${name} has no accessibility violations`, async () => {
        await open(page);
        const dialog = page.getByRole("dialog", { name });
        await expectSound(page, () => expect(dialog).toBeVisible());
        await page.keyboard.press("Escape");
        await expect(page.getByRole("dialog")).toHaveCount(0);
      });
  });
