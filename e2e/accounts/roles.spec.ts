import { Frame } from "@/e2e/pages/frame";
import { RetentionPage } from "@/e2e/pages/retention";
import { SignInPage } from "@/e2e/pages/sign-in";
import { Api } from "@/e2e/support/api";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

const PASSWORD = "a long enough password";

test("somebody who may only read sees retention with the reason, and no page or button that is not theirs", async ({
  guest,
  request,
}) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Looked at");
  const email = `${crypto.randomUUID().slice(0, 8)}@looked-at.example`;
  await api.call("POST", "/users", { email, password: PASSWORD, name: "Vera Viewer", role: "org_viewer", orgId });
  await new SignInPage(guest).signIn({ email, password: PASSWORD });
  const frame = new Frame(guest);
  await expect(frame.nav("Retention")).toBeVisible();
  for (const name of ["Users", "API keys", "Enrollment", "Organizations"]) await expect(frame.nav(name)).toHaveCount(0);
  await expect(guest.getByRole("button", { name: "Export" })).toHaveCount(0);

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
  await guest.goto("/settings/custom-fields");
  // Fields that a partner keeps for all its organizations are theirs to read, so the list need not be empty.
  await expect(guest.getByRole("heading", { level: 1, name: "Custom fields" })).toBeVisible();
  await expect(guest.getByRole("status", { name: /Loading/ })).toHaveCount(0);
  await expect(guest.getByRole("button", { name: "New field" })).toHaveCount(0);
});
