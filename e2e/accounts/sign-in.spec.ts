import { SignInPage } from "@/e2e/pages/sign-in";
import { ViewerPage } from "@/e2e/pages/viewer";
import { expect, test } from "@/e2e/support/fixtures";
import { ADMIN } from "@/testing/server";

test("signed-out visitors return to the requested page after sign-in", async ({ guest }) => {
  await guest.goto("/devices?state=online");
  await expect(guest).toHaveURL(/\/login\?callbackUrl=/);
  await new SignInPage(guest).fill(ADMIN.email, ADMIN.password);
  await expect(guest).toHaveURL("/devices?state=online");
  await expect(guest.getByRole("heading", { level: 1, name: "Devices" })).toBeVisible();
});

test("a wrong password shows an error message", async ({ guest }) => {
  const signIn = new SignInPage(guest);
  await signIn.open();
  await signIn.fill(ADMIN.email, "not the password");
  await expect(signIn.refusal).toBeVisible();
  await expect(guest).toHaveURL(/\/login/);
});

test("a foreign callback URL is ignored after sign-in", async ({ guest }) => {
  await guest.goto("/login?callbackUrl=//evil.example/");
  await new SignInPage(guest).fill(ADMIN.email, ADMIN.password);
  await expect(guest).toHaveURL("/");
});

test("a sign-in appears in the audit log, and signing out ends the session", async ({ guest }) => {
  await new SignInPage(guest).signIn();
  await new ViewerPage(guest).untilShown(/signed in/);
  await guest.getByRole("button", { name: /Account of/ }).click();
  await guest.getByRole("button", { name: "Sign out" }).click();
  await expect(guest).toHaveURL(/\/login/);
  await guest.goto("/");
  await expect(guest).toHaveURL(/\/login/);
});

test("first-run setup is unavailable once there is an administrator", async ({ guest }) => {
  await guest.goto("/setup");
  await expect(guest).toHaveURL(/\/login/);
});
