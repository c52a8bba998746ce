import { RetentionPage } from "@/e2e/pages/retention";
import { Api } from "@/e2e/support/api";
import { answering } from "@/e2e/support/faults";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

test("a longer retention saves immediately, a shorter one after preview and confirmation", async ({
  page,
  request,
}) => {
  const orgId = await (await Api.signIn(request)).makeOrganization("Kept");
  const retention = new RetentionPage(page);
  await retention.open(orgId);
  await expect(retention.state("365 days")).toBeVisible();
  await expect(retention.state("365 days")).toContainText("Next:");
  await retention.choose("2 years");
  await retention.save();
  await expect(retention.state("730 days")).toBeVisible();

  await retention.choose("90 days");
  await retention.save();
  await expect(retention.dialog).toContainText("The next run would remove nothing");
  await expectAccessible(page);
  const confirm = retention.dialog.getByRole("button", { name: "Keep 90 days" });
  await expect(confirm).toBeDisabled();
  await retention.dialog.getByLabel(/Type the organization/).fill("Kept");
  await expect(confirm).toBeEnabled();
  await expectAccessible(page);
  await confirm.click();
  await expect(retention.state("90 days")).toBeVisible();
});

test("a retention preview shows what would be removed, and nothing while an alarm is open", async ({
  page,
  request,
}) => {
  const orgId = await (await Api.signIn(request)).makeOrganization("Long kept");
  const retention = new RetentionPage(page);
  await retention.open(orgId);
  const span = { from: "2025-11-20T10:00:00.000Z", to: "2026-05-20T09:59:59.000Z" };
  await answering(page, "retention.preview", { retentionDays: 180, rows: 1_234, ...span, alarmSince: null });
  await retention.choose("180 days");
  await expect(page.getByText(/The next run would remove 1,234 entries, from 20 Nov 2025/)).toBeVisible();
  const alarmSince = "2026-11-20T10:00:00.000Z";
  await answering(page, "retention.preview", { retentionDays: 90, rows: 0, from: null, to: null, alarmSince });
  await retention.choose("90 days");
  await expect(page.getByText(/would remove nothing: an alarm is open on this log since 20 Nov 2026/)).toBeVisible();
});

test("the page warns that nothing can be removed without an admin connection", async ({ page, request }) => {
  const orgId = await (await Api.signIn(request)).makeOrganization("Never pruned");
  await answering(page, "retention.get", { pruningEnabled: false, nextRunAt: null });
  const retention = new RetentionPage(page);
  await retention.open(orgId);
  await retention.choose("2 years");
  await retention.save();
  await expect(retention.state("730 days")).toContainText("Next: none, because nothing can be removed here");
  await expect(
    page.getByText(/no AUDIT_ADMIN_DATABASE_URL, or a distributed database\), so nothing is removed/),
  ).toBeVisible();
  await expectAccessible(page);
  await retention.choose("180 days");
  await retention.save();
  await expect(retention.dialog).toContainText("Once pruning is on, entries older than 180 days are deleted");
  await expect(retention.dialog).toContainText("If it were on, the next run would remove nothing");
  await retention.dialog.getByRole("button", { name: "Cancel" }).click();
});

test("an organization without a policy shows that entries are never deleted", async ({ page, request }) => {
  const orgId = await (await Api.signIn(request)).makeOrganization("Older than the policy");
  await answering(page, "retention.get", {
    configured: false,
    retentionDays: null,
    lastCleanupAt: null,
    nextRunAt: null,
  });
  const retention = new RetentionPage(page);
  await retention.open(orgId);
  await retention.choose("2 years");
  await retention.save();
  await expect(retention.state("Not configured: nothing is ever deleted")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Archive before deletion" })).toBeVisible();
  await expect(page.getByRole("switch")).toHaveCount(0);
});
