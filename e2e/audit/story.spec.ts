import { Api } from "@/e2e/support/api";
import { expect, expectAccessible, expectAccessibleInBoth, expectSound, test } from "@/e2e/support/fixtures";

const CHANGES = 60;
const MINUTE_MS = 60_000;
let orgId = "";

/** An organization in which one person changed one policy so many times, a few seconds apart. */
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ baseURL });
  const api = await Api.signIn(request);
  orgId = await api.makeOrganization(`Story ${crypto.randomUUID().slice(0, 8)}`);
  const [actorId, resourceId] = [crypto.randomUUID(), crypto.randomUUID()];
  const events = Array.from({ length: CHANGES }, (_, n) => ({
    timestamp: new Date(Date.now() - 10 * MINUTE_MS - n * 3_000).toISOString(),
    actorType: "user",
    actorId,
    actorEmail: "jane@story.example",
    action: "policy.update",
    resourceType: "policy",
    resourceId,
    resourceName: "Antivirus",
    ipAddress: "198.51.100.77",
    details: { before: { retentionDays: CHANGES - n }, after: { retentionDays: CHANGES - n + 1 }, durationMs: 350 },
  }));
  await api.write(orgId, events);
  await request.dispose();
});

const changes = () => `?orgId=${orgId}&action=policy&fold=false`;

test("entries around a moment form one list with the entry in it, filtered by chips", async ({ viewer, page }) => {
  await viewer.open(changes());
  await viewer.entries().nth(3).click();
  await viewer.drawer.getByRole("link", { name: "Everything around this moment" }).click();
  await expect(page).toHaveURL(/\/audit\/[0-9a-f-]{36}\/around/);
  const table = page.getByRole("table", { name: /Everything around the entry/ });
  const middle = table.locator("[aria-current]");
  await expect(middle).toHaveCount(1);
  await expect(middle).toContainText("This entry");
  await expect(table.getByRole("row").filter({ hasText: "after" }).first()).toBeVisible();
  // The list begins where the entry is: a row half under the head of the table is no small target.
  await expectSound(page, () => page.evaluate(() => window.scrollTo(0, 0)));
  await page.getByText("± 15 min").click();
  await expect(page).toHaveURL(/minutes=15/);
  await page.getByText(/^Same address/).click();
  await expect(page).toHaveURL(/ties=/);
  await expect(middle).toHaveCount(1);
  await page.goBack();
  await page.goBack();
  await expect(page).not.toHaveURL(/minutes=/);
});

test("compare two pinned entries, and one with the previous change", async ({ viewer, page }) => {
  await viewer.open(changes());
  await expect(viewer.entries().nth(2)).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("p");
  const bar = page.getByRole("region", { name: "Pinned entries" });
  await expect(bar.getByRole("listitem")).toHaveCount(1);
  await page.keyboard.press("j");
  await page.keyboard.press("p");
  await expect(bar.getByRole("listitem")).toHaveCount(2);
  await expectAccessibleInBoth(page);
  await bar.getByRole("link", { name: "Compare" }).click();
  const table = page.getByRole("table", { name: /Two entries side by side/ });
  await expect(table.getByRole("row", { name: /After › Retention/ })).toContainText("Differs");
  await expectSound(page);
  const all = await table.getByRole("row").count();
  await page.getByRole("switch", { name: "Only differences" }).check();
  await expect(page).toHaveURL(/only=true/);
  await expect.poll(() => table.getByRole("row").count()).toBeLessThan(all);
  await viewer.open(changes());
  await expect(bar.getByRole("listitem")).toHaveCount(2);
  await bar.getByRole("button", { name: "Unpin all" }).click();
  await expect(bar).toHaveCount(0);
  await viewer.openEntry();
  await viewer.drawer.getByRole("link", { name: "Compare with the previous change" }).click();
  await expect(table.getByRole("row", { name: /After › Retention/ })).toContainText("Differs");
});

test("an entry opens beside the usable list, and over it on a small screen", async ({ viewer, page }) => {
  await viewer.open(changes());
  const [first, second, third] = [0, 1, 2].map((at) => viewer.entries().nth(at));
  if (!first || !second || !third) throw new Error("three entries");
  await first.click();
  await expect(page.getByRole("region", { name: "Audit entry", exact: true })).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(first).toBeFocused();
  await expect(page).toHaveURL(/row=/);
  const opened = page.url();
  await page.keyboard.press("ArrowDown");
  await expect(second).toBeFocused();
  await expect(page).not.toHaveURL(opened);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Audit entry", exact: true })).toBeFocused();
  await third.click();
  await expect(third).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(viewer.drawer).toHaveCount(0);
  await expect(third).toBeFocused();
  await page.goBack();
  await page.setViewportSize({ width: 1100, height: 800 });
  await viewer.open(changes());
  await first.click();
  await expect(page.getByRole("dialog", { name: "Audit entry" })).toBeVisible();
});

test("an entry shows changes as a table, details as facts and folded JSON", async ({ viewer, page }) => {
  await viewer.open(changes());
  await viewer.openEntry();
  const changed = viewer.drawer.getByRole("table", { name: "What changed, old and new" });
  await expect(changed.getByRole("row", { name: /retentionDays/ })).toContainText(/\d+ days.*\d+ days/);
  await expect(viewer.drawer.getByRole("region", { name: "Details" })).toContainText("Duration350 ms");
  const json = viewer.drawer.getByRole("region", { name: "Raw entry as JSON" });
  await expect(json).toBeHidden();
  await viewer.drawer.getByText("Raw entry as JSON").click();
  await expect(json).toContainText('"retentionDays"');
  // Otherwise a button may be halfway under the bar that stays in place.
  await viewer.drawer.evaluate((drawer) => drawer.scrollTo(0, 0));
  await expectAccessible(page);
});

test("printing shows all matches with their description on every page", async ({ viewer, page }) => {
  await viewer.open(`${changes()}&exclude=result:denied`);
  await expect(page.getByRole("status").filter({ hasText: `50 of ${CHANGES} entries` })).toBeVisible();
  // Heard after the page has heard it, and before the paper is laid out.
  await page.evaluate(() =>
    window.addEventListener("beforeprint", () => {
      document.body.dataset.printed = String(document.querySelectorAll("[data-sheet] tbody tr").length);
    }),
  );
  // The pointer still rests on the button that began it.
  await page.getByRole("button", { name: /^Print/ }).hover();
  await expect(page.getByRole("tooltip")).toBeVisible();
  const pdf = (await page.pdf({ format: "A4", landscape: true })).toString("latin1");
  expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThan(1);
  await expect(page.locator("body")).toHaveAttribute("data-printed", String(CHANGES));
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("tooltip")).toHaveCount(0);
  const sheet = page.getByRole("table", { name: "Audit entries, newest first, for print" });
  await expect(sheet.locator("tbody tr")).toHaveCount(CHANGES);
  const head = sheet.locator("thead");
  await expect(head).toContainText("Action: policy; Without result: Denied");
  await expect(head).toContainText(`${CHANGES} entries, all that match`);
  await expect(head).toContainText("UTC");
  await expect(head).toContainText(/Chain \w+/);
  await expect(head).toContainText(/Printedby .+@.+, \d+ \w+ \d{4}/);
  for (const role of ["button", "textbox", "slider"] as const) await expect(page.getByRole(role)).toHaveCount(0);
});

test("an entry shows related entries and links to them", async ({ viewer, page, request }) => {
  const orgId = await (await Api.signIn(request)).makeChain("Related Ltd", 3);
  await viewer.open(`?orgId=${orgId}&action=retention`);
  await expect(viewer.entries()).toHaveCount(3);
  await viewer.openEntry();
  const related = viewer.drawer.getByRole("region", { name: "Related entries, within five minutes" });
  const byActor = related.getByRole("list", { name: "By the same actor" });
  await expect(byActor.getByRole("link")).toHaveCount(3);
  await expect(related.getByRole("list", { name: "On the same resource" })).toBeVisible();
  await expectAccessible(page);
  const before = page.url();
  await byActor.getByRole("link", { name: /created organization/ }).click();
  await expect(page).not.toHaveURL(before);
  await expect(viewer.drawer.getByRole("heading", { name: /created organization Related Ltd/ })).toBeVisible();
});
