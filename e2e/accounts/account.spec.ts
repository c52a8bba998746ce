import { SignInPage } from "@/e2e/pages/sign-in";
import { Api } from "@/e2e/support/api";
import { expect, patient, test } from "@/e2e/support/fixtures";

test("a user changes the password and ends another session", async ({ guest, browser, request, baseURL }) => {
  const api = await Api.signIn(request);
  const person = await api.createPerson({ role: "org_viewer", orgId: await api.makeOrganization("Own") });
  const other = await browser.newContext({ baseURL, storageState: { cookies: [], origins: [] } });
  const elsewhere = await patient(await other.newPage());
  await new SignInPage(elsewhere).signIn(person);
  await new SignInPage(guest).signIn(person);

  await guest.goto("/account");
  await expect(guest.getByText("This session")).toBeVisible();
  await guest.getByRole("button", { name: /^End the session on/ }).click();
  await guest.getByRole("dialog", { name: "End session" }).getByRole("button", { name: "End session" }).click();
  await expect(guest.getByRole("button", { name: /^End the session on/ })).toHaveCount(0);
  await elsewhere.goto("/");
  await expect(elsewhere).toHaveURL(/\/login/);
  await other.close();

  await guest.getByLabel("Current password").fill("not the password");
  await guest.getByLabel("New password").fill("the second long password");
  await guest.getByRole("button", { name: "Change password" }).click();
  await expect(guest.getByText("This field is wrong")).toBeVisible();
  await guest.getByLabel("Current password").fill(person.password);
  await guest.getByRole("button", { name: "Change password" }).click();
  await expect(guest.getByText("Password changed.")).toBeVisible();
});
