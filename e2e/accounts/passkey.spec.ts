import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { SignInPage } from "@/e2e/pages/sign-in";
import { expect, patient, test } from "@/e2e/support/fixtures";
import { ADMIN, endServer, freePort, type Server, startServer } from "@/testing/server";

/** Browsers bind passkeys to names, and the other tests' server is known by an address. */
let server: Server;
let base: string;
const dataDir = mkdtempSync(join(tmpdir(), "trailmark-passkey-"));
test.beforeAll(async () => {
  test.setTimeout(120_000);
  const port = await freePort();
  base = `http://localhost:${port}`;
  server = await startServer({ dataDir, port, env: { NEXTAUTH_URL: base } });
});
test.afterAll(async () => {
  await endServer(server);
  rmSync(dataDir, { recursive: true, force: true });
});

/** A security key inside the browser that is always touched at once. */
async function plugIn(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test("a passkey is created, signs in after the password, and is removed", async ({ browser }) => {
  const context = await browser.newContext({ baseURL: base, storageState: { cookies: [], origins: [] } });
  const page = await patient(await context.newPage());
  await plugIn(page);
  await new SignInPage(page).signIn(ADMIN);
  await page.goto("/account");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("dialog", { name: "Add a passkey" }).getByLabel("Name").fill("Work laptop");
  await page.getByRole("button", { name: "Create passkey" }).click();
  await page.getByRole("dialog", { name: "Recovery codes" }).getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "Work laptop" })).toBeVisible();

  await page.getByRole("button", { name: /Account of/ }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await new SignInPage(page).fill(ADMIN.email, ADMIN.password);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();

  await page.goto("/account");
  await page.getByRole("button", { name: "Remove: Work laptop" }).click();
  await page.getByRole("dialog", { name: "Remove Work laptop" }).getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("Your password or identity provider alone signs you in.")).toBeVisible();
  await context.close();
});
