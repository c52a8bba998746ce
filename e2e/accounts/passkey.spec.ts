import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright/test";
import { SignInPage } from "@/e2e/pages/sign-in";
import { withDatabase } from "@/e2e/support/database";
import { expect, patient, test } from "@/e2e/support/fixtures";
import { ADMIN, endServer, freePort, type Server, startServer } from "@/testing/server";

/** Browsers bind passkeys to names, and the other tests' server is known by an address. */
let server: Server;
let base: string;
const dataDir = mkdtempSync(join(tmpdir(), "trailmark-passkey-"));
test.beforeAll(async () => {
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

/** The partner's rule about second factors, set by the person of this page. */
const requireTwoFactor = (page: Page, requireTwoFactor: boolean): Promise<number> =>
  page.evaluate(
    async (body) => {
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch("/api/v1/orgs/partner", { method: "PATCH", headers, body: JSON.stringify(body) });
      return answer.status;
    },
    { requireTwoFactor },
  );

test("a passkey works at sign-in and step-up, and can be removed unless required", async ({ browser }) => {
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
  expect(await requireTwoFactor(page, true)).toBe(200);
  // As if the browser had been left open since.
  await withDatabase((sql) => sql`UPDATE user_sessions SET proven_at = proven_at - interval '15 minutes'`, dataDir);
  await page.getByRole("button", { name: "Remove: Work laptop" }).click();
  const removing = page.getByRole("dialog", { name: "Remove Work laptop" });
  await removing.getByRole("button", { name: "Remove" }).click();
  const confirming = page
    .getByRole("dialog", { name: "Confirm that it is you" })
    .or(page.getByRole("region", { name: "Confirm that it is you" }));
  await confirming.getByRole("button", { name: "Use a passkey" }).click();
  await expect(confirming).toHaveCount(0);
  await expect(removing).toContainText("Your account requires two-factor sign-in. Add another factor first.");

  expect(await requireTwoFactor(page, false)).toBe(200);
  await removing.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("Two-factor is off.")).toBeVisible();
  await context.close();
});
