import { Secret, TOTP } from "otpauth";
import { Frame } from "@/e2e/pages/frame";
import { OrganizationsPage } from "@/e2e/pages/organizations";
import { Api } from "@/e2e/support/api";
import { expect, test } from "@/e2e/support/fixtures";
import { Keys } from "@/e2e/support/keys";

const unique = () => crypto.randomUUID().slice(0, 8);

test("keyboard only: find organizations with a broken or unverified chain or short retention", async ({
  page,
  request,
}) => {
  const mark = unique();
  const api = await Api.signIn(request);
  const short = await api.makeOrganization(`Short ${mark}`);
  await api.call("PUT", `/orgs/organizations/${short}/audit-retention`, { retentionDays: 90 });
  const keys = new Keys(page);
  const list = new OrganizationsPage(page);
  await page.goto("/");
  await keys.enter(new Frame(page).nav("Organizations"));
  await expect(page.getByRole("heading", { level: 1, name: "Organizations" })).toBeVisible();
  await keys.type(page.getByLabel("Search organizations"), mark);
  for (const name of ["Broken or unverified chain", "Retention under 365 days or none"]) {
    await keys.space(list.filter(name));
    await expect(list.filter(name)).toHaveAttribute("aria-pressed", "true");
    await expect(list.filter(name)).toBeFocused();
  }
  await expect(list.row(`Short ${mark}`)).toContainText("Retention 90 days");
  await keys.space(page.getByRole("checkbox", { name: `Select Short ${mark}` }));
  const set = page.getByRole("button", { name: "Set retention" });
  await keys.enter(set);
  const dialog = list.dialog(/Retention of 1 organization/);
  await expect(dialog).toBeVisible();
  await keys.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(set).toBeFocused();
  await keys.enter(page.getByRole("link", { name: `Short ${mark}` }));
  await expect(page.getByRole("heading", { level: 1, name: `Short ${mark}` })).toBeVisible();
});

test("keyboard only: invite a colleague to three customers and turn on two-factor", async ({
  page,
  guest,
  request,
}) => {
  test.slow();
  const mark = unique();
  const api = await Api.signIn(request);
  const customers = ["Adatum", "Fabrikam", "Tailspin"].map((name) => `${name} ${mark}`);
  for (const name of customers) await api.makeOrganization(name);
  const colleague = { email: `${mark}@keys.example`, password: "a password of their own" };
  const keys = new Keys(page);
  await page.goto("/");
  await keys.enter(new Frame(page).nav("Users"));
  const invite = page.getByRole("main").getByRole("button", { name: "Invite user" });
  await keys.enter(invite);
  const dialog = page.getByRole("dialog", { name: "Invite user" });
  await expect(dialog.getByLabel("Name")).toBeFocused();
  await keys.type(dialog.getByLabel("Name"), "Cleo League");
  await keys.type(dialog.getByLabel("E-mail"), colleague.email);
  await keys.choose(dialog.getByRole("combobox", { name: "Role" }), "Partner technician");
  await keys.to(dialog.getByRole("radio", { name: /^All organizations/ }));
  await keys.press("ArrowDown");
  await expect(dialog.getByRole("radio", { name: "Chosen organizations" })).toBeChecked();
  for (const name of customers) {
    await keys.type(dialog.getByRole("combobox", { name: "Organizations" }), name);
    await keys.choose(dialog.getByRole("combobox", { name: "Organizations" }), name);
  }
  await keys.enter(dialog.getByRole("button", { name: "Invite user" }));
  const given = page.getByRole("dialog", { name: "Link for Cleo League" });
  const link = await given.getByText(/\/invite#tmi_/).textContent();
  await keys.enter(given.getByRole("button", { name: "Done" }));
  await expect(given).toHaveCount(0);
  await expect(invite).toBeFocused();
  await expect(page.getByRole("row").filter({ hasText: colleague.email })).toContainText("3 organizations");

  const theirs = new Keys(guest);
  await guest.goto(link ?? "");
  await theirs.type(guest.getByLabel("Password", { exact: true }), colleague.password);
  await theirs.press("Enter");
  await expect(guest.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
  await theirs.enter(guest.getByRole("button", { name: /Account of/ }));
  await theirs.enter(guest.getByRole("link", { name: "Your account" }));
  const setUp = guest.getByRole("button", { name: "Set up an app" });
  await theirs.enter(setUp);
  const app = guest.getByRole("dialog", { name: "Set up an authenticator app" });
  const secret = (await app.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? "";
  await theirs.type(
    app.getByRole("textbox", { name: "Code" }),
    new TOTP({ secret: Secret.fromBase32(secret) }).generate(),
  );
  await theirs.press("Enter");
  const codes = guest.getByRole("dialog", { name: "Recovery codes" });
  await expect(codes.getByRole("listitem")).toHaveCount(10);
  await theirs.enter(codes.getByRole("button", { name: "Done" }));
  await expect(guest.getByText("10 codes left")).toBeVisible();
  test.info().annotations.push({ type: "keys", description: `${keys.pressed} and ${theirs.pressed}` });
});

test("keyboard only: create, edit, rotate and revoke an API key", async ({ page }) => {
  const name = `Nightly ${unique()}`;
  const keys = new Keys(page);
  const dialog = (title: string) => page.getByRole("dialog", { name: title });
  const row = page.getByRole("row").filter({ hasText: name });
  await page.goto("/");
  await keys.enter(new Frame(page).nav("API keys"));
  const create = page.getByRole("button", { name: "New API key" });
  await keys.enter(create);
  await expect(dialog("New API key").getByLabel("Name")).toBeFocused();
  await keys.type(dialog("New API key").getByLabel("Name"), name);
  await keys.space(dialog("New API key").getByLabel("Export the audit log"));
  await keys.enter(dialog("New API key").getByRole("button", { name: "Create key" }));
  await expect(dialog(`Key of ${name}`)).toContainText(/tmk_[\w-]{40}/);
  await keys.enter(dialog(`Key of ${name}`).getByRole("button", { name: "Done" }));
  await expect(create).toBeFocused();
  await expect(row).toContainText("Active");

  const edit = page.getByRole("button", { name: `Edit ${name}` });
  await keys.enter(edit);
  await expect(dialog(`Edit ${name}`)).toBeVisible();
  await keys.press("Escape");
  await expect(dialog(`Edit ${name}`)).toHaveCount(0);
  await expect(edit).toBeFocused();
  await keys.press("Enter");
  await keys.space(dialog(`Edit ${name}`).getByLabel("Export the audit log"));
  await keys.enter(dialog(`Edit ${name}`).getByRole("button", { name: "Save" }));
  await expect(dialog(`Edit ${name}`)).toHaveCount(0);
  await expect(row).not.toContainText("audit:export");
  await expect(edit).toBeFocused();

  const rotate = page.getByRole("button", { name: `Rotate ${name}` });
  await keys.enter(rotate);
  await keys.enter(dialog(`Rotate ${name}`).getByRole("button", { name: "Rotate key" }));
  await expect(dialog(`New secret of ${name}`)).toContainText(/tmk_[\w-]{40}/);
  await keys.enter(dialog(`New secret of ${name}`).getByRole("button", { name: "Done" }));
  await expect(rotate).toBeFocused();

  await keys.enter(page.getByRole("button", { name: `Revoke ${name}` }));
  await keys.enter(dialog(`Revoke ${name}`).getByRole("button", { name: "Revoke key" }));
  await expect(row).toContainText("Revoked");
  await expect(row.locator(":focus")).toHaveCount(1);
});
