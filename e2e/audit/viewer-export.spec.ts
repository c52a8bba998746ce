import { readFile } from "node:fs/promises";
import type { Download, Page } from "playwright/test";
import { Api } from "@/e2e/support/api";
import { held } from "@/e2e/support/faults";
import { expect, expectAccessible, expectNoSidewaysScroll, test } from "@/e2e/support/fixtures";

const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Export entries" });

async function save(page: Page): Promise<Download> {
  const started = page.waitForEvent("download");
  await dialogOf(page).getByRole("button", { name: "Export" }).click();
  return started;
}

test("an export contains what the screen shows, and says so first", async ({ viewer, page, request }) => {
  const orgId = await (await Api.signIn(request)).makeChain("Exported Ltd", 4);
  await viewer.open(`?orgId=${orgId}&action=retention&range=1h`);
  await expect(viewer.entries()).toHaveCount(4);
  await expect(page.getByRole("status").filter({ hasText: "4 entries of Exported Ltd" })).toBeVisible();
  const shown = await viewer.entries().evaluateAll((links) => links.map((link) => link.getAttribute("data-entry")));

  await page.keyboard.press("e");
  const dialog = dialogOf(page);
  await expect(dialog).toContainText("Action: retention");
  await expect(dialog).toContainText("Exported Ltd");
  await expect(dialog).toContainText("At most 10,000 entries");
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);

  await expect(dialog.getByRole("radio", { name: "CSV" })).toBeChecked();
  await dialog.getByRole("radio", { name: /^JSON/ }).check();
  const json = await save(page);
  expect(json.suggestedFilename()).toMatch(/^audit-exported-ltd-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d\.json$/);
  const { data, total }: { data: { id: string }[]; total: number } = JSON.parse(
    await readFile(await json.path(), "utf8"),
  );
  expect(data.map((entry) => entry.id)).toEqual(shown);
  expect(total).toBe(4);
  await expect(dialog.getByRole("status")).toContainText("Saved as audit-exported-ltd");

  await dialog.getByRole("radio", { name: "CSV" }).check();
  await expect(dialog.getByRole("status")).toContainText(json.suggestedFilename());
  const csv = await readFile(await (await save(page)).path(), "utf8");
  expect(csv.trim().split("\r\n")).toHaveLength(5);
  expect(csv).toMatch(/^\uFEFFid,timestamp,.*,organization,errorMessage,sentence\r\n/);
  const evidence = page.waitForEvent("download");
  await dialog.getByRole("link", { name: "download the evidence bundle" }).click();
  expect((await evidence).suggestedFilename()).toContain("evidence");
});

test("a truncated export says so, even if the total was unknown", async ({ viewer, page, request }) => {
  const orgId = await (await Api.signIn(request)).makeChain("Truncated Ltd");
  const release = await held(page, "audit.list");
  await page.route("**/api/v1/audit-logs/export", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "x-truncated": "true" } });
  });
  await viewer.open(`?orgId=${orgId}&action=retention&range=1h`);
  await page.keyboard.press("e");
  const dialog = dialogOf(page);
  await expect(dialog.getByRole("radio", { name: "Download the newest 10,000 now" })).toBeChecked();
  await save(page);
  await expect(dialog.getByRole("status")).toContainText("It holds the newest 10,000 entries; more match.");
  release();
  await expect(dialog.getByRole("radio", { name: /^Download \d+ entr(y|ies) now$/ })).toBeChecked();
});
