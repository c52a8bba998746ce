import { Frame } from "@/e2e/pages/frame";
import { NotificationsPage } from "@/e2e/pages/notifications";
import { RetentionPage } from "@/e2e/pages/retention";
import { SignInPage } from "@/e2e/pages/sign-in";
import { ViewerPage } from "@/e2e/pages/viewer";
import { Api } from "@/e2e/support/api";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

/** The details of every refusal that somebody met. */
const denialsOf = async (api: Api, { id }: { id: string }): Promise<unknown[]> =>
  (await api.call<{ data: { details: unknown }[] }>("GET", `/audit-logs/logs?result=denied&actorId=${id}`)).data.map(
    ({ details }) => details,
  );

test("a read-only user sees why retention is locked, and no admin pages or buttons", async ({ guest, request }) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Looked at");
  await new SignInPage(guest).signIn(await api.createPerson({ role: "org_viewer", orgId }));
  const frame = new Frame(guest);
  await expect(frame.nav("Retention")).toBeVisible();
  await expect(guest.getByRole("banner").getByText("Looked at")).toBeVisible();
  for (const name of ["Users", "API keys", "Enrollment"]) await expect(frame.nav(name)).toHaveCount(0);
  await new ViewerPage(guest).untilShown(/signed in/);
  await expect(guest.getByRole("button", { name: "Export" })).toHaveCount(0);
  await guest.keyboard.press("e");
  await expect(guest.getByRole("dialog")).toHaveCount(0);

  await frame.nav("Organization").click();
  await expect(guest.getByRole("heading", { level: 1, name: "Looked at" })).toBeVisible();
  await expect(guest.getByRole("button", { name: "Edit" })).toHaveCount(0);

  const retention = new RetentionPage(guest);
  await retention.open(orgId);
  await expect(retention.state("365 days")).toBeVisible();
  await expect(guest.getByText("Changing this needs the audit:manage permission, which administrators")).toBeVisible();
  await expect(guest.getByRole("button", { name: "Save" })).toHaveCount(0);
  await expectAccessible(guest);

  await guest.goto("/settings/users");
  await expect(guest.getByRole("heading", { name: "You don't have access to the users" })).toBeVisible();
  await expect(guest.getByText("You need the users:manage permission")).toBeVisible();
  await expect(guest.getByRole("button", { name: "Invite user" })).toHaveCount(0);
  await expectAccessible(guest);
  await guest.goto("/devices");
  await expect(guest.getByRole("heading", { name: "No devices yet" })).toBeVisible();
  await expect(guest.getByRole("button", { name: "Enroll a device" })).toHaveCount(0);
  const { deviceId } = await api.enroll(orgId, "WS-READ");
  await guest.goto(`/devices/${deviceId}?tab=timeline`);
  await expect(guest.getByRole("button", { name: "Time range: Last hour" })).toBeVisible();
  await expect(guest.getByRole("button", { name: "Query the device now" })).toHaveCount(0);
  await guest.goto("/settings/custom-fields");
  // Fields that a partner keeps for all its organizations are theirs to read, so the list need not be empty.
  await expect(guest.getByRole("heading", { level: 1, name: "Custom fields" })).toBeVisible();
  await expect(guest.getByRole("status", { name: /Loading/ })).toHaveCount(0);
  await expect(guest.getByRole("button", { name: "New field" })).toHaveCount(0);
});

test("an admin of selected organizations sees only permitted actions and why others are disabled", async ({
  guest,
  request,
}) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Chosen");
  const mark = crypto.randomUUID().slice(0, 8);
  const [wide, narrow] = [`Wide ${mark}`, `Narrow ${mark}`] as const;
  const permissions = ["audit:read"];
  await api.call("POST", "/api-keys", { name: wide, permissions });
  await api.call("POST", "/api-keys", { name: narrow, permissions, orgId });
  const person = await api.createPerson({ role: "partner_admin", organizationIds: [orgId] });
  const elsewhere = { role: "partner_technician", organizationIds: [await api.makeOrganization("Not theirs")] };
  await api.createPerson({ name: "Olga Other", ...elsewhere });
  await new SignInPage(guest).signIn(person);
  await guest.goto("/settings/api-keys");
  for (const verb of ["Edit", "Rotate", "Revoke"]) {
    await expect(guest.getByRole("button", { name: `${verb} ${narrow}`, exact: true })).toBeEnabled();
    const refused = guest.getByRole("button", { name: `${verb} ${wide}: this key is for all organizations` });
    await expect(refused).toBeDisabled();
    await refused.click({ force: true });
  }
  await expect(guest.getByRole("dialog")).toHaveCount(0);
  await expectAccessible(guest);

  const notifications = new NotificationsPage(guest);
  await notifications.openSettings("webhooks");
  await notifications.createWebhook(narrow, "https://desk.example/hook", null);
  await expect(notifications.rowOf("Webhooks", narrow)).not.toContainText("All organizations");
  await guest.goto("/settings/users");
  const peer = guest.getByRole("row", { name: /Olga Other/ });
  await expect(peer).toContainText("None of your organizations");
  await expect(peer.getByRole("button", { name: /^Edit Olga Other: only users with access to all/ })).toBeDisabled();
  await guest.goto(`/settings/users?orgId=${orgId}`);
  await expect(guest.getByText("Your own staff with access to it are listed under All organizations.")).toBeVisible();
  await guest.getByRole("button", { name: "Invite user" }).click();
  await guest.getByRole("dialog").getByLabel("Role").click();
  await guest.getByRole("option", { name: "Partner technician" }).click();
  await expect(guest.getByRole("radio", { name: "Chosen organizations" })).toBeChecked();
  await expect(guest.getByRole("radio", { name: /^All organizations/ })).toHaveCount(0);
});

test("an admin of selected organizations neither sees nor requests global settings", async ({ guest, request }) => {
  const api = await Api.signIn(request);
  const organizationIds = [await api.makeOrganization("Not asked")];
  const person = await api.createPerson({ name: "Nora Narrow", role: "partner_admin", organizationIds });
  await new SignInPage(guest).signIn(person);
  await guest.goto("/settings/users");
  await expect(guest.getByRole("row", { name: /Nora Narrow/ })).toBeVisible();
  await expect(guest.getByRole("switch", { name: "Require two-factor sign-in for everyone" })).toHaveCount(0);
  expect((await guest.request.get("/api/v1/orgs/partner")).status()).toBe(403);
  await expect.poll(() => denialsOf(api, person)).toEqual([{ times: 1, requests: ["GET /api/v1/orgs/partner"] }]);
});

/** Every page, also those that the navigation does not offer to everybody. */
const PAGES = [
  "/",
  "/organizations",
  "/organizations/ORG",
  "/integrity?orgId=ORG",
  "/reports",
  "/devices",
  "/devices/DEVICE",
  "/devices/DEVICE?tab=diagnostics",
  "/devices/DEVICE?tab=live",
  "/devices/DEVICE?tab=history",
  "/scripts",
  "/notifications",
  "/account",
  "/start",
  "/settings/users",
  "/settings/api-keys",
  "/settings/enrollment",
  "/settings/custom-fields",
  "/settings/custom-fields/import",
  "/settings/retention?orgId=ORG",
  "/settings/notifications",
];

for (const role of ["org_viewer", "partner_technician"])
  test(`pages request nothing that a ${role} may not see, and denied attempts are audited`, async ({
    guest,
    page,
    request,
  }) => {
    test.slow();
    const api = await Api.signIn(request);
    const orgId = await api.makeOrganization("Asked about");
    const { deviceId } = await api.enroll(orgId, "WS-ASKED");
    const person = await api.createPerson({ role, ...(role === "org_viewer" && { orgId }) });
    await new SignInPage(guest).signIn(person);
    await expect(new Frame(guest).nav("Retention")).toBeVisible();
    for (const path of PAGES) {
      await guest.goto(path.replace("ORG", orgId).replace("DEVICE", deviceId));
      await expect(guest.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(guest.getByRole("status", { name: /Loading/ })).toHaveCount(0);
    }
    expect((await guest.request.get("/api/v1/users")).status()).toBe(403);
    await expect
      .poll(() => denialsOf(api, person))
      .toEqual([{ permission: "users:manage", times: 1, requests: ["GET /api/v1/users"] }]);
    await page.goto(`/?result=denied&actorId=${person.id}`);
    await expect(page.getByRole("row").filter({ hasText: "was denied permission to manage users" })).toBeVisible();
  });
