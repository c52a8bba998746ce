import { Secret, TOTP } from "otpauth";
import { SignInPage } from "@/e2e/pages/sign-in";
import { Api } from "@/e2e/support/api";
import { expect, test } from "@/e2e/support/fixtures";

const WALK_MS = 60_000;

test("an admin invites a colleague to three customers, with two-factor, in under a minute", async ({
  settings,
  page,
  guest,
  request,
}) => {
  const api = await Api.signIn(request);
  test.slow();
  const walk = async (): Promise<number> => {
    await guest.context().clearCookies();
    const run = crypto.randomUUID().slice(0, 8);
    const customers = ["Adatum", "Fabrikam", "Tailspin"].map((name) => `${name} ${run}`);
    for (const name of customers) await api.call("POST", "/orgs/organizations", { name });
    const colleague = { email: `${run}@colleague.example`, password: "a password of their own" };
    const began = Date.now();

    await settings.open("users", "Users");
    await page.getByRole("button", { name: "Invite user" }).click();
    const dialog = settings.dialog("Invite user");
    await dialog.getByLabel("Name").fill("Cleo League");
    await dialog.getByLabel("E-mail").fill(colleague.email);
    await dialog.getByRole("combobox", { name: "Role" }).click();
    await page.getByRole("option", { name: "Partner technician" }).click();
    await dialog.getByRole("radio", { name: "Chosen organizations" }).check();
    for (const name of customers) {
      await dialog.getByRole("combobox", { name: "Organizations" }).fill(name);
      await page.getByRole("option", { name }).click();
    }
    await dialog.getByRole("button", { name: "Invite user" }).click();
    const link = await settings
      .dialog("Link for Cleo League")
      .getByText(/\/invite#tmi_/)
      .textContent();
    await page.getByRole("button", { name: "Done" }).click();
    await expect(settings.row(colleague.email)).toContainText("3 organizations");
    await expect(settings.row(colleague.email)).toContainText("Invited");

    await guest.goto(link as string);
    await guest.getByLabel("Password", { exact: true }).fill(colleague.password);
    await guest.getByRole("button", { name: "Accept invitation" }).click();
    await expect(guest.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();

    await guest.getByRole("button", { name: /Account of/ }).click();
    await guest.getByRole("link", { name: "Your account" }).click();
    await guest.getByRole("button", { name: "Set up an app" }).click();
    const setUp = guest.getByRole("dialog", { name: "Set up an authenticator app" });
    await expect(setUp.getByRole("img", { name: /QR code/ })).toBeVisible();
    const secret = (await setUp.getByText(/^[A-Z2-7]{32}$/).textContent()) as string;
    const app = new TOTP({ secret: Secret.fromBase32(secret) });
    await setUp.getByRole("textbox", { name: "Code" }).fill(app.generate());
    await setUp.getByRole("button", { name: "Turn on" }).click();
    await expect(guest.getByRole("dialog", { name: "Recovery codes" }).getByRole("listitem")).toHaveCount(10);
    await guest.getByRole("button", { name: "Done" }).click();
    await expect(guest.getByText("10 codes left")).toBeVisible();

    await guest.getByRole("button", { name: /Account of/ }).click();
    await guest.getByRole("button", { name: "Sign out" }).click();
    const signIn = new SignInPage(guest);
    await signIn.fill(colleague.email, colleague.password);
    // A code is good once; the next one is taken half a minute early.
    await guest.getByLabel("Code").fill(app.generate({ timestamp: Date.now() + 30_000 }));
    await guest.getByRole("button", { name: "Continue" }).click();
    await expect(guest.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
    const took = Date.now() - began;

    await guest.getByRole("button", { name: "Organization: All organizations" }).click();
    for (const name of customers)
      await expect(guest.getByRole("dialog", { name: "Organization" }).getByRole("button", { name })).toBeVisible();
    return took;
  };
  // On a busy machine a walk may have had to wait for others' work.
  const took: number[] = [];
  while (took.length < 3 && !(Math.min(...took) < WALK_MS)) took.push(await walk());
  expect(Math.min(...took)).toBeLessThan(WALK_MS);
});
