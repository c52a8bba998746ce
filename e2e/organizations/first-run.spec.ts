import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { IntegrityPage } from "@/e2e/pages/integrity";
import { SettingsPage } from "@/e2e/pages/settings";
import { expect, expectAccessible, expectSound, test } from "@/e2e/support/fixtures";
import { Keys } from "@/e2e/support/keys";
import { startFresh } from "@/e2e/support/server";
import { freePort } from "@/testing/server";

const NO_ADMIN = { TRAILMARK_ADMIN_EMAIL: "", TRAILMARK_ADMIN_PASSWORD: "" };
let fresh: Awaited<ReturnType<typeof startFresh>>;
test.beforeAll(async () => {
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

/** The one-time token that the console of the fresh server shows. */
const token = (): string => /one-time token (\S+)/.exec(readFileSync(fresh.logFile, "utf8"))?.[1] ?? "";

test("keyboard only: from an empty installation to a first agent's entries by checklist", async ({ guest }) => {
  test.slow();
  const keys = new Keys(guest);
  await guest.goto(fresh.base);
  await expect(guest).toHaveURL(`${fresh.base}/setup`);
  await expect(guest).toHaveTitle("First run · Trailmark");
  await expectSound(guest);
  const field = (label: string) => guest.getByLabel(label, { exact: true });
  await keys.type(field("Your company"), "Acme MSP");
  await keys.type(field("Your name"), "Ada Lovelace");
  await keys.type(field("E-mail"), "ada@acme.example");
  await keys.type(field("Password"), "a long enough password");
  await keys.type(field("Setup token"), "not the token");
  await keys.enter(guest.getByRole("button", { name: "Set up Trailmark" }));
  await expect(guest.getByText("That is not the token that the console shows.")).toBeVisible();
  await expectAccessible(guest);
  await keys.to(field("Setup token"));
  await keys.press("Control+a");
  await guest.keyboard.type(token());
  await keys.enter(guest.getByRole("button", { name: "Set up Trailmark" }));
  await expect(guest.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
  // The list shows what was in the log when it was asked for; signing in may be a moment later.
  const signedIn = guest.getByRole("link", { name: /Ada Lovelace signed in/ });
  await expect(async () => {
    if (!(await signedIn.isVisible())) await guest.reload();
    await expect(signedIn).toBeVisible({ timeout: 20_000 });
  }).toPass({ timeout: 120_000 });
  const panel = guest.getByRole("complementary", { name: "Getting started" });
  const settings = new SettingsPage(guest);

  await keys.enter(panel.getByRole("link", { name: "Create an organization" }));
  await keys.enter(guest.getByRole("button", { name: "New organization" }));
  await keys.type(settings.dialog("New organization").getByLabel("Name"), "First Customer");
  await keys.enter(guest.getByRole("button", { name: "Create organization" }));

  const home = guest.getByRole("navigation").getByRole("link", { name: "Audit log" });
  await keys.enter(home);
  await keys.enter(panel.getByRole("link", { name: "Create a key" }));
  await keys.enter(guest.getByRole("button", { name: "New enrollment key" }).first());
  await keys.enter(guest.getByRole("button", { name: "Create key" }));
  const secret = settings.dialog(/Enroll devices of First Customer/);
  const key = /tme_[\w-]+/.exec((await secret.innerText()) ?? "")?.[0] ?? "";
  await expect(secret.getByText(/install\.sh|npm run agent/).first()).toBeVisible();
  const state = join(fresh.dataDir, "an-agent");
  const agent = ["--url", fresh.base, "--state-dir", state, "--enrollment-key-file", "-", "--once"];
  expect(await runCommand("agent", agent, `${key}\n`)).toBe(0);
  await keys.enter(secret.getByRole("button", { name: "Done" }));

  await keys.enter(home);
  const verify = panel.getByRole("link", { name: "Verify" });
  await expect(verify).toBeVisible();
  await keys.enter(verify);
  // The signing of a checkpoint may have said "Intact" before; the step is ticked by the verification itself.
  const verified = guest.waitForResponse((answer) => answer.url().includes("/integrity.verify") && answer.ok());
  await keys.enter(guest.getByRole("button", { name: "Verify now" }));
  await verified;
  await expect(new IntegrityPage(guest).verdict("Intact")).toBeVisible();
  await guest.goto(`${fresh.base}/start`);
  const done = guest.getByRole("listitem").filter({ hasText: /Done/ });
  await expect(done).toHaveCount(4);
  await guest.goto(`${fresh.base}/`);
  await expect(guest.getByRole("link", { name: new RegExp(`${hostname()} joined`) })).toBeVisible();

  await keys.enter(panel.getByRole("button", { name: "Dismiss" }));
  await expect(panel).toHaveCount(0);
  await guest.goto(`${fresh.base}/start`);
  await keys.enter(guest.getByRole("button", { name: "Show this checklist on the home page" }));
  await expect(guest.getByRole("button", { name: "Hide this checklist" })).toBeVisible();
  await guest.goto(`${fresh.base}/`);
  await expect(panel).toContainText("Create a backup");
  expect(await runCommand("trailmark", ["backup", "--to", join(fresh.dataDir, "backups")])).toBe(0);
  // Whoever comes back from the terminal sees it at once; a page left alone asks once a minute.
  await guest.reload();
  await expect(panel).toContainText("Configure a witness");
  // Whoever comes later makes no second first administrator.
  await guest.goto(`${fresh.base}/setup`);
  await expect(guest).not.toHaveURL(/setup/);
});
