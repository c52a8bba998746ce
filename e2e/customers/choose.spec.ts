import { SignInPage } from "@/e2e/pages/sign-in";
import { Api } from "@/e2e/support/api";
import { expect, test } from "@/e2e/support/fixtures";

test("pages of one organization list those to choose from, with what they would say of each", async ({
  guest,
  request,
}) => {
  const api = await Api.signIn(request);
  const run = crypto.randomUUID().slice(0, 8);
  const organizationIds = [await api.makeOrganization(`First ${run}`), await api.makeOrganization(`Second ${run}`)];
  const person = { email: `${run}@choice.example`, password: "the choosing password" };
  const role = { name: "Cho Ice", role: "partner_technician", organizationIds };
  await api.call("POST", "/users", { ...person, ...role });
  await new SignInPage(guest).signIn(person);

  const row = guest.getByRole("table", { name: "Organizations" }).getByRole("row", { name: `Second ${run}` });
  await guest.goto("/settings/retention");
  await expect(row).toContainText("365 days");
  await row.getByRole("link").click();
  await expect(guest.getByText(`How long audit entries of Second ${run} are kept`)).toBeVisible();

  await guest.goto("/integrity");
  await expect(row).toContainText(/Intact|Not checked yet|No entries yet/);
  await row.getByRole("link").click();
  await expect(guest.getByText(`Whether the audit log of Second ${run} is still as it was written`)).toBeVisible();
});
