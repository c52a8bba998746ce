import { IntegrityPage } from "@/e2e/pages/integrity";
import { SettingsPage } from "@/e2e/pages/settings";
import { expect, test } from "@/e2e/support/fixtures";
import { startFresh } from "@/e2e/support/server";
import { ADMIN, freePort } from "@/testing/server";

let fresh: Awaited<ReturnType<typeof startFresh>>;
test.beforeAll(async () => {
  test.setTimeout(120_000); // a cluster is created and migrated
  fresh = await startFresh("e2e-checklist", await freePort());
});
test.afterAll(() => fresh.discard());

test("an empty installation reaches a first agent's entries with the checklist alone", async ({ guest }) => {
  test.setTimeout(120_000);
  await guest.goto(`${fresh.base}/login`);
  await guest.getByLabel("E-mail").fill(ADMIN.email);
  await guest.getByRole("textbox", { name: "Password" }).fill(ADMIN.password);
  await guest.getByRole("button", { name: "Sign in", exact: true }).click();
  const panel = guest.getByRole("complementary", { name: "Getting started" });
  const settings = new SettingsPage(guest);

  await panel.getByRole("link", { name: "Create an organization" }).click();
  await guest.getByRole("button", { name: "New organization" }).click();
  await settings.dialog("New organization").getByLabel("Name").fill("First Customer");
  await guest.getByRole("button", { name: "Create organization" }).click();

  await panel.getByRole("link", { name: "Create a key" }).click();
  await guest.getByRole("button", { name: "New enrollment key" }).first().click();
  await guest.getByRole("button", { name: "Create key" }).click();
  const secret = settings.dialog(/Enroll devices of First Customer/);
  const key = /tme_[\w-]+/.exec((await secret.innerText()) ?? "")?.[0] ?? "";
  // What the shown command does on a device.
  const joined = await guest.request.post(`${fresh.base}/api/v1/agents/enroll`, {
    data: { enrollmentKey: key, hostname: "WS-FIRST", os: "windows" },
  });
  const { agentId, token }: { agentId: string; token: string } = await joined.json();
  const headers = { Authorization: `Bearer ${token}` };
  await guest.request.post(`${fresh.base}/api/v1/agents/${agentId}/heartbeat`, { headers, data: {} });
  await secret.getByRole("button", { name: "Done" }).click();

  const verify = panel.getByRole("link", { name: "Verify" });
  await expect(verify).toBeVisible();
  await verify.click();
  // The signing of a checkpoint may have said "Intact" before; the step is ticked by the verification itself.
  const verified = guest.waitForResponse((answer) => answer.url().includes("/integrity.verify") && answer.ok());
  await guest.getByRole("button", { name: "Verify now" }).click();
  await verified;
  await expect(new IntegrityPage(guest).verdict("Intact")).toBeVisible();
  await guest.goto(`${fresh.base}/start`);
  const done = guest.getByRole("listitem").filter({ hasText: /Done/ });
  await expect(done).toHaveCount(4);
  await guest.goto(`${fresh.base}/`);
  await expect(guest.getByRole("link", { name: /WS-FIRST joined/ })).toBeVisible();

  await panel.getByRole("button", { name: "Dismiss" }).click();
  await expect(panel).toHaveCount(0);
  await guest.goto(`${fresh.base}/start`);
  await guest.getByRole("button", { name: "Show the next step on my pages" }).click();
  await guest.goto(`${fresh.base}/`);
  await expect(panel).toContainText("Make a backup");
});
