import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { IntegrityPage } from "@/e2e/pages/integrity";
import { SettingsPage } from "@/e2e/pages/settings";
import { expect, test } from "@/e2e/support/fixtures";
import { startFresh } from "@/e2e/support/server";
import { freePort } from "@/testing/server";

const NO_ADMIN = { TRAILMARK_ADMIN_EMAIL: "", TRAILMARK_ADMIN_PASSWORD: "" };
let fresh: Awaited<ReturnType<typeof startFresh>>;
test.beforeAll(async () => {
  test.setTimeout(120_000); // a cluster is created and migrated
  fresh = await startFresh("e2e-checklist", await freePort(), NO_ADMIN);
});
test.afterAll(() => fresh.discard());

/** Runs a program of the build to its end, as the command that a page shows does; `input` is typed into it. */
function runCommand(program: string, args: string[], input = ""): Promise<number | null> {
  const env = { ...process.env, TRAILMARK_DATA_DIR: fresh.dataDir, PORT: String(fresh.port) };
  const child = spawn(process.execPath, [join("dist", `${program}.mjs`), ...args], { env, stdio: ["pipe", 2, 2] });
  child.stdin?.end(input);
  return new Promise((done) => child.once("close", done));
}

test("an empty installation reaches a first agent's entries with the checklist alone", async ({ guest }) => {
  test.setTimeout(240_000);
  await guest.goto(fresh.base);
  const field = (label: string) => guest.getByLabel(label, { exact: true });
  await field("Your company").fill("Acme MSP");
  await field("Your name").fill("Ada Lovelace");
  await field("E-mail").fill("ada@acme.example");
  await field("Password").fill("a long enough password");
  const [, token = ""] = /one-time token (\S+)/.exec(readFileSync(fresh.logFile, "utf8")) ?? [];
  await field("Setup token").fill(token);
  await guest.getByRole("button", { name: "Set up Trailmark" }).click();
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
  await expect(secret.getByText(/install\.sh|npm run agent/).first()).toBeVisible();
  const state = join(fresh.dataDir, "an-agent");
  const agent = ["--url", fresh.base, "--state-dir", state, "--enrollment-key-file", "-", "--once"];
  expect(await runCommand("agent", agent, `${key}\n`)).toBe(0);
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
  await expect(guest.getByRole("link", { name: new RegExp(`${hostname()} joined`) })).toBeVisible();

  await panel.getByRole("button", { name: "Dismiss" }).click();
  await expect(panel).toHaveCount(0);
  await guest.goto(`${fresh.base}/start`);
  await guest.getByRole("button", { name: "Show the next step on my pages" }).click();
  await guest.goto(`${fresh.base}/`);
  await expect(panel).toContainText("Make a backup");
  expect(await runCommand("trailmark", ["backup", "--to", join(fresh.dataDir, "backups")])).toBe(0);
  // Whoever comes back from the terminal sees it at once; a page left alone asks once a minute.
  await guest.reload();
  await expect(panel).toContainText("Configure a witness");
});
