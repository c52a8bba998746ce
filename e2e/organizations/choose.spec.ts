import { SignInPage } from "@/e2e/pages/sign-in";
import { Api } from "@/e2e/support/api";
import { expect, test } from "@/e2e/support/fixtures";

test("pages of one organization ask the reader to select one", async ({ guest, request }) => {
  const api = await Api.signIn(request);
  const run = crypto.randomUUID().slice(0, 8);
  const organizationIds = [await api.makeOrganization(`First ${run}`), await api.makeOrganization(`Second ${run}`)];
  await new SignInPage(guest).signIn(await api.createPerson({ role: "partner_technician", organizationIds }));

  const choose = async (page: string) => {
    await guest.getByRole("combobox", { name: `Organization of ${page}` }).click();
    await guest.getByRole("option", { name: `Second ${run}` }).click();
  };
  await guest.goto("/settings/retention");
  await choose("Retention");
  await expect(guest.getByText(`Second ${run}: entries older than this are deleted daily.`)).toBeVisible();

  await guest.goto("/integrity");
  await choose("Integrity");
  await expect(guest.getByText(`Whether the audit log of Second ${run} is still as it was written`)).toBeVisible();
});
