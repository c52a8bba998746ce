import type { Request } from "playwright/test";
import { Frame } from "@/e2e/pages/frame";
import { IntegrityPage } from "@/e2e/pages/integrity";
import { Api } from "@/e2e/support/api";
import { failing } from "@/e2e/support/faults";
import { expect, expectAccessible, expectSound, test } from "@/e2e/support/fixtures";
import { tamper } from "@/e2e/support/tamper";

test("a row altered in the database is shown with expected and actual values", async ({ page, request }) => {
  const orgId = await (await Api.signIn(request)).makeChain("Tampered", 4);
  const integrity = new IntegrityPage(page);
  const frame = new Frame(page);
  await tamper(orgId);
  await integrity.open(orgId);
  await integrity.verifyNow();
  await expect(integrity.verdict("Broken in 1 place")).toBeVisible();
  const row = integrity.breaks("Verify or download evidence").filter({ hasText: "Entry 2" });
  await expect(row).toContainText("Altered");
  await expect(row.getByText(/^[0-9a-f]{64}$/)).toHaveCount(2);

  await expect(integrity.verdict("Broken")).toBeVisible();
  await expect(
    page.getByText("This alarm stays until a verification of the whole chain finds no break."),
  ).toBeVisible();
  await expect(frame.badge).toHaveAccessibleName(/^Broken\. The audit chain of Tampered is broken/);
  await expectSound(page);
  await row.getByRole("link", { name: "Entry 2" }).click();
  await expect(page).toHaveURL(/\/audit\/[0-9a-f-]{36}/);
});

test("an organization's badge shows what was checked and how far it is anchored", async ({ page, request }) => {
  const orgId = await (await Api.signIn(request)).makeChain("Badged");
  const integrity = new IntegrityPage(page);
  await integrity.open(orgId);
  await integrity.verifyNow();
  await expect(integrity.verdict("Intact, from the first entry to the last")).toBeVisible();
  const { badge } = new Frame(page);
  await expect(badge).toHaveAccessibleName(
    /Intact\. The audit chain of Badged is intact through entry \d+, \d+ entries checked on .*anchored/,
  );
  await badge.hover();
  await expect(page.getByRole("tooltip")).toContainText("entries checked on");
});

test("the badge says that the state is unknown when it can no longer be read", async ({ page, request }) => {
  await page.clock.install();
  const orgId = await (await Api.signIn(request)).makeChain("Unread");
  const integrity = new IntegrityPage(page);
  const { badge } = new Frame(page);
  let asked = 0;
  page.on("request", (request) => void (request.url().includes("integrity.status") && asked++));
  const end = (request: Request) => void (request.url().includes("integrity.status") && asked--);
  page.on("requestfinished", end).on("requestfailed", end);
  await integrity.open(orgId);
  await integrity.verifyNow();
  await expect(integrity.verdict("Intact, from the first entry to the last")).toBeVisible();
  await expect(badge).toHaveAccessibleName(/^Intact\. /);
  // What the verification has the page read again has been read.
  await expect.poll(() => asked).toBe(0);
  await failing(page, "integrity.status");
  await page.clock.fastForward("01:30");
  await expect(badge).toHaveAccessibleName(
    /^Not known\. The state of the audit chain could not be read\..* Last read on .*: The audit chain of Unread is intact/,
  );
});

test("the organization list marks the broken one", async ({ page, request }) => {
  const orgId = await (await Api.signIn(request)).makeChain("Broken in the list");
  await tamper(orgId);
  const integrity = new IntegrityPage(page);
  await integrity.open(orgId);
  await integrity.verifyNow();
  await expect(integrity.verdict("Broken in 1 place")).toBeVisible();
  await page.goto("/integrity");
  await page.getByRole("main").getByRole("link", { name: "Organizations" }).click();
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "Broken in the list" }) });
  await expect(row).toContainText("Broken");
  const { badge } = new Frame(page);
  await expect(badge).toHaveAccessibleName(/^\d+ broken\. Audit chains: \d+ broken/);
  await badge.click();
  await expect(page).toHaveURL(/\/organizations\?show=chain/);
  await expect(page).toHaveTitle("Organizations · Trailmark");
  await expect(row).toContainText("Broken");
  await expectAccessible(page);
});
