import { Api } from "./api";
import { expect, expectAccessible, test } from "./fixtures";
import { ReportsPage } from "./pages/reports";

test("a report's number leads to the rows behind it, and the report can be taken along", async ({ page, request }) => {
  const orgId = await (await Api.signIn(request)).makeChain("Reported");
  const reports = new ReportsPage(page);
  await reports.open(`?org=${orgId}`);
  await expect(page.getByRole("table", { name: "Rows by person" })).toBeVisible();
  await expectAccessible(page);
  const started = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  expect((await started).suggestedFilename()).toMatch(/^activity-.*\.csv$/);

  await reports.show("Statistics");
  await expect(page).toHaveURL(/report=statistics/);
  await reports.row("Rows by category", "Organization").getByRole("link").click();
  await expect(page).toHaveURL(/category=organization/);
  await expect(page.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
});
