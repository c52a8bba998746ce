import { readFile } from "node:fs/promises";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright/test";
import { SettingsPage } from "@/e2e/pages/settings";
import { SignInPage } from "@/e2e/pages/sign-in";
import { Api } from "@/e2e/support/api";
import { withDatabase } from "@/e2e/support/database";
import { expect, test } from "@/e2e/support/fixtures";

const STEP_MS = 30_000;

type Person = { id: string; email: string; password: string; recoveryCode: string; code: (steps: number) => string };

/** An organization's administrator with an authenticator app, whose codes are given by their distance from now. */
async function createGuarded(api: Api): Promise<Person> {
  const account = await api.createPerson({ role: "org_admin", orgId: await api.makeOrganization("Guarded") });
  const { email, password } = account;
  const { accessToken } = await api.call<{ accessToken: string }>("POST", "/auth/token", { email, password });
  const own = api.as(accessToken);
  const { secret } = await own.call<{ secret: string }>("POST", "/me/two-factor/totp");
  const app = new TOTP({ secret: Secret.fromBase32(secret) });
  const code = (steps: number) => app.generate({ timestamp: Date.now() + steps * STEP_MS });
  const confirmed = await own.call<{ recoveryCodes: string[] }>("POST", "/me/two-factor/totp/confirm", {
    code: code(0),
  });
  return { ...account, code, recoveryCode: confirmed.recoveryCodes[0] ?? "" };
}

async function signIn(page: Page, person: Person): Promise<void> {
  const form = new SignInPage(page);
  await form.open();
  await form.fill(person.email, person.password);
  await page.getByLabel("Code").fill(person.recoveryCode);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
}

/** As if all sessions of the person had been left open for a quarter of an hour. */
const waitQuarterOfAnHour = ({ id }: Person) =>
  withDatabase(
    (sql) => sql`UPDATE user_sessions SET proven_at = proven_at - interval '15 minutes' WHERE user_id = ${id}`,
  );

const confirmation = (page: Page) =>
  page
    .getByRole("dialog", { name: "Confirm that it is you" })
    .or(page.getByRole("region", { name: "Confirm that it is you" }));

test("a user with two-factor confirms their identity before exporting a whole log", async ({ guest, request }) => {
  const person = await createGuarded(await Api.signIn(request));
  await signIn(guest, person);
  await waitQuarterOfAnHour(person);

  await guest.goto("/?range=all");
  await guest.getByRole("button", { name: "Export" }).click();
  const exporting = guest.getByRole("dialog", { name: "Export entries" });
  await exporting.getByRole("radio", { name: /^JSON/ }).check();
  await exporting.getByRole("button", { name: "Export" }).click();
  const dialog = confirmation(guest);
  await expect(dialog.getByRole("textbox", { name: "Password" })).toBeFocused();

  await dialog.getByLabel(/code from your app/).fill("000000");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await expect(dialog).toContainText("This field is wrong, or was used before");
  // The next one: the present one turned the app on.
  await dialog.getByLabel(/code from your app/).fill(person.code(1));
  const started = guest.waitForEvent("download");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  const { data }: { data: { action: string }[] } = JSON.parse(await readFile(await (await started).path(), "utf8"));
  expect(data.map(({ action }) => action)).toContain("user.login");
  await expect(dialog).toHaveCount(0);
  await expect(exporting.getByRole("status")).toContainText("Saved as");

  // The proof counts for ten minutes.
  const again = guest.waitForEvent("download");
  await exporting.getByRole("button", { name: "Export" }).click();
  await again;
});

test("an API key is created after step-up and not when it is canceled", async ({ guest, request }) => {
  const person = await createGuarded(await Api.signIn(request));
  await signIn(guest, person);
  await waitQuarterOfAnHour(person);

  const settings = new SettingsPage(guest);
  await settings.open("api-keys", "API keys");
  await guest.getByRole("button", { name: "New API key" }).click();
  const making = settings.dialog("New API key");
  await making.getByLabel("Name").fill("Nightly export");
  await making.getByRole("button", { name: "Create key" }).click();
  const dialog = confirmation(guest);
  await expect(dialog).toBeVisible();
  await guest.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(making).toContainText("Confirm that it is you");
  await expect(making.getByLabel("Name")).toHaveValue("Nightly export");

  await making.getByRole("button", { name: "Create key" }).click();
  await dialog.getByRole("textbox", { name: "Password" }).fill("not the password");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await expect(dialog).toContainText("This field is wrong");
  await dialog.getByRole("textbox", { name: "Password" }).fill(person.password);
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await expect(settings.dialog("Key of Nightly export")).toContainText(/tmk_[\w-]{40}/);
  await guest.getByRole("button", { name: "Done" }).click();
  await expect(settings.row("Nightly export")).toHaveCount(1);
});

test("an evidence bundle link asks for step-up before downloading", async ({ guest, request }) => {
  const person = await createGuarded(await Api.signIn(request));
  await signIn(guest, person);
  await waitQuarterOfAnHour(person);

  await guest.goto("/integrity");
  const link = guest.getByRole("link", { name: "Download evidence bundle" });
  await link.focus();
  await guest.keyboard.press("Enter");
  const dialog = confirmation(guest);
  await expect(dialog).toBeVisible();
  await guest.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(guest).toHaveURL(/\/integrity/);

  await link.click();
  await dialog.getByRole("textbox", { name: "Password" }).fill(person.password);
  const started = guest.waitForEvent("download");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  const file = await started;
  expect(file.suggestedFilename()).toMatch(/\.ndjson$/);
  expect(await readFile(await file.path(), "utf8")).toContain("user.login");
});

test("renewing recovery codes warns that the old ones stop working", async ({ guest, request }) => {
  const person = await createGuarded(await Api.signIn(request));
  await signIn(guest, person);
  await guest.goto("/account");
  const left = guest.getByText(/^\d+ codes left$/);
  const before = (await left.textContent()) ?? "";
  const renew = guest.getByRole("button", { name: "Renew: Recovery codes" });
  const asked = guest.getByRole("dialog", { name: "Renew the recovery codes" });
  await renew.click();
  await expect(asked).toContainText(/The \d+ codes you have left stop working immediately/);
  await asked.getByRole("button", { name: "Cancel" }).click();
  await expect(asked).toHaveCount(0);
  await expect(left).toHaveText(before);
  await renew.click();
  await asked.getByRole("button", { name: "Renew codes" }).click();
  await expect(guest.getByRole("dialog", { name: "Recovery codes", exact: true })).toContainText("shown only now");
});
