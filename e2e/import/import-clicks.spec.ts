import type { Page } from "playwright/test";
import { ImportWizard, WORK_MS } from "@/e2e/pages/import";
import { Api } from "@/e2e/support/api";
import { expect, test } from "@/e2e/support/fixtures";

/** The dialog in which the file is chosen is the browser's own: one click there. */
const IN_THE_FILE_DIALOG = 1;
const MAX_CLICKS = 6;

const name = () => `CLICK${crypto.randomUUID().slice(0, 8)}`.toUpperCase();

/** Counts the clicks that reach the page, as the page itself sees them. */
async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction("countClick", () => void clicks++);
  await page.addInitScript(() => addEventListener("pointerdown", () => Reflect.get(window, "countClick")(), true));
  return () => clicks;
}

/** Background work of an import gives way to all else on the machine. */
test.describe.configure({ timeout: 720_000 });

test("importing a clean file takes six clicks from Devices to its report", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const org = await api.makeOrganization(`Clicks ${name()}`);
  const hosts = [name(), name(), name()];
  for (const host of hosts) await api.enroll(org, host);
  const id = () => crypto.randomUUID().slice(0, 8);
  const rows = hosts.map((host, i) => `${id()},${host},Rack ${i}`);
  const csv = ["Computer ID,Computer Name,Rack", ...rows].join("\r\n").replaceAll("Rack", `Rack ${name()}`);
  const clicks = await countClicks(page);
  const wizard = new ImportWizard(page);
  await page.goto("/devices");
  await page.getByRole("link", { name: "Import custom fields" }).click();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose files" }).click();
  await (await chooser).setFiles({ name: "clean.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await expect(wizard.step("Fields")).toBeVisible({ timeout: WORK_MS });
  await wizard.go("Continue", "Values");
  await wizard.go("Check all rows", "Check");
  await expect(wizard.count("Matched by hostname")).toHaveText("3");
  await wizard.go("Run import", "Report");
  await expect(wizard.figure("Values written")).toContainText("3");
  expect(clicks() + IN_THE_FILE_DIALOG).toBe(MAX_CLICKS);
});
