import { readFile } from "node:fs/promises";
import type { Locator } from "playwright/test";
import { ReportsPage } from "@/e2e/pages/reports";
import { Api } from "@/e2e/support/api";
import { held } from "@/e2e/support/faults";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

/** An organization in whose audit log so many events of each action stand. */
async function orgWith(api: Api, name: string, counts: Record<string, number>): Promise<string> {
  const orgId = await api.makeOrganization(name);
  // Other tests look at the newest entries of all organizations.
  const timestamp = new Date(Date.now() - 24 * 3_600_000).toISOString();
  const event = { actorType: "user", resourceType: "user", resourceName: "Somebody", timestamp };
  await api.write(
    orgId,
    Object.entries(counts).flatMap(([action, count]) => Array.from({ length: count }, () => ({ ...event, action }))),
  );
  return orgId;
}

test("chart axis labels do not overlap", async ({ page, request }) => {
  const orgId = await orgWith(await Api.signIn(request), "Axis", { "user.login": 1_750 });
  const reports = new ReportsPage(page);
  for (const width of [390, 720, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await reports.open(`?orgId=${orgId}&report=security`);
    const axis = page.locator("figure").first().locator("> div[aria-hidden] > span");
    await expect(axis.last()).toHaveText("2,000entries");
    const ends = await axis.evaluateAll((ticks) =>
      ticks.flatMap((tick) => {
        const words = document.createRange();
        words.selectNodeContents(tick);
        const { left, right, width } = words.getBoundingClientRect();
        return width > 0 ? [{ left, right }] : [];
      }),
    );
    expect(ends.length).toBeGreaterThan(1);
    const met = ends.slice(1).filter(({ left }, at) => left <= (ends[at]?.right ?? 0));
    expect(met, `${width}`).toEqual([]);
  }
});

test("a report can be downloaded and printed with its coverage", async ({ page, request }) => {
  const orgId = await (await Api.signIn(request)).makeChain("Reported");
  const reports = new ReportsPage(page);
  await reports.open(`?orgId=${orgId}`);
  await expect(page.getByRole("table", { name: "Entries by user" })).toBeVisible();
  await expectAccessible(page);
  const started = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const file = await started;
  expect(file.suggestedFilename()).toMatch(/^activity-.*\.csv$/);
  expect(await readFile(await file.path(), "utf8")).toMatch(/^covers,"Reported, .*\(UTC\)"\r\nentries,\d+\r\n/);

  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("heading", { level: 2, name: "User activity, last 30 days" })).toBeVisible();
  await expect(page.getByText(/^Reported, .* to now \(UTC\)$/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Print" })).toBeHidden();
  await expect(page.getByRole("navigation", { name: "Pages" })).toBeHidden();
  await expect(page.getByRole("tablist")).toBeHidden();
  const sheets = (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g);
  expect(sheets?.length).toBeLessThanOrEqual(2);
});

test("a report keeps its numbers while another range loads, and cannot be saved or printed", async ({
  page,
  request,
}) => {
  const orgId = await (await Api.signIn(request)).makeChain("Awaited");
  const reports = new ReportsPage(page);
  await reports.open(`?orgId=${orgId}`);
  const buttons = ["CSV", "Print"].map((name) => page.getByRole("button", { name }));
  for (const button of buttons) await expect(button).toBeEnabled();
  const answer = await held(page, "audit.reportUserActivity");
  await page.getByRole("button", { name: "Last 30 days" }).click();
  await page.getByRole("button", { name: "Last 7 days" }).click();
  await expect(page).toHaveURL(/range=7d/);
  await expect(page.getByRole("table", { name: "Entries by user" })).toBeVisible();
  const numbers = page.getByText("User activity in numbers").or(page.getByLabel("User activity in numbers"));
  await expect(page.locator("[aria-busy=true]").filter({ has: numbers })).toBeVisible();
  for (const button of buttons) await expect(button).toBeDisabled();
  answer();
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  for (const button of buttons) await expect(button).toBeEnabled();
});

test("a preset range of a report ends at the time it is selected or viewed again", async ({ page, request }) => {
  const orgId = await (await Api.signIn(request)).makeChain("Moving");
  const reports = new ReportsPage(page);
  await page.clock.install();
  await reports.open(`?orgId=${orgId}&range=1h`);
  const covers = page.getByText(/^Moving, .* to now \(UTC\)$/);
  const opened = (await covers.textContent()) ?? "";
  await page.clock.fastForward("20:00");
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
  await expect(covers).not.toHaveText(opened);
  const seen = await covers.textContent();
  await page.clock.fastForward("20:00");
  await page.getByRole("button", { name: "Time range: Last hour" }).click();
  await page.getByRole("button", { name: /^Last hour/ }).click();
  await expect(covers).not.toHaveText(seen ?? "");
});

test("each number links to exactly its entries", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const counts = { "user.login": 4, "user.login.failed": 2, "data.access": 3, "data.export": 1, "policy.update": 5 };
  const orgId = await orgWith(api, "Counted", counts);
  const reports = new ReportsPage(page);
  const leadsTo = async (link: Locator, rows: number) => {
    await link.click();
    await expect(page.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
    const count = page.getByRole("status").filter({ hasText: `${rows} entries` });
    await expect(count.first()).toBeVisible();
    await page.goBack();
    await expect(page.getByRole("heading", { level: 1, name: "Reports" })).toBeVisible();
  };
  await reports.open(`?orgId=${orgId}`);
  for (const [report, figures] of [
    ["Security events", { "Sign-in attempts": 6, "Failed sign-ins": 2, "Security events": 11 }],
    ["Compliance", { "Other actions": 5, "Compliance events": 9 }],
  ] as const) {
    await reports.show(report);
    for (const [figure, rows] of Object.entries(figures)) {
      await expect(reports.figure(figure)).toHaveText(String(rows));
      await leadsTo(reports.figure(figure), rows);
    }
  }
  await reports.show("Security events");
  await leadsTo(reports.row("Security events by action", "user.login.failed").getByRole("link"), 2);
  await reports.show("Statistics");
  await reports.row("Entries by category", "Policy").getByRole("link").click();
  await expect(page).toHaveURL(/category=policy/);
});

test("a report counts every entry of its range", async ({ page, request }) => {
  const orgId = await orgWith(await Api.signIn(request), "Numerous", { "data.access": 5_100 });
  const reports = new ReportsPage(page);
  await reports.open(`?orgId=${orgId}&report=compliance`);
  await expect(reports.figure("Compliance events")).toHaveText("5,100");
  await expect(page.getByText(/^no entries before \d+ \w+ \d{4}/)).toBeVisible();
  const started = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  expect(await readFile(await (await started).path(), "utf8")).toContain("entries,5100");
});
