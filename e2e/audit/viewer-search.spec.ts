import { readFile } from "node:fs/promises";
import { Api } from "@/e2e/support/api";
import { answering } from "@/e2e/support/faults";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

const DAY_MS = 86_400_000;
/** Half past eleven on the Tuesday before today, in the tests' zone, UTC: outside of the hour that afterNine() is in. */
const lastTuesday = () => {
  const today = new Date();
  const back = ((today.getUTCDay() + 4) % 7) + 1;
  return new Date(Math.floor(today.getTime() / DAY_MS) * DAY_MS - back * DAY_MS + 11.5 * 3_600_000);
};

type Planted = {
  action: string;
  result?: string;
  name?: string;
  details?: object;
  ip?: string;
  at?: Date;
  by?: string;
};

/** An organization whose log tells of an antivirus policy that somebody disabled, among other things. */
async function plant(api: Api, name: string): Promise<string> {
  const orgId = await api.makeOrganization(name);
  const event = ({ action, result = "success", name: resourceName, details, ip, at, by }: Planted) => ({
    actorType: by ? "user" : "system",
    ...(by && { actorEmail: by }),
    action,
    resourceType: action.split(".")[0],
    resourceName,
    result,
    ...(result === "success" ? {} : { errorMessage: "Not allowed here" }),
    details,
    ipAddress: ip,
    timestamp: (at ?? lastTuesday()).toISOString(),
  });
  const device = { device: "CDG-WS-008" };
  const events = [
    { action: "policy.disable", name: "Antivirus", details: device, ip: "198.51.100.77", by: "mallory@example.test" },
    { action: "policy.update", name: "Baseline", at: new Date("2026-03-01T10:00:00Z"), by: "jane@example.test" },
    { action: "alert.create", name: "Disk full", details: { device: "FAB-SRV-001", severity: "critical" } },
    { action: "data.export", result: "denied", by: "jane@example.test", ip: "203.0.113.5" },
    { action: "data.export", result: "failure", by: "jane@example.test", ip: "203.0.113.5" },
  ].map(event);
  await api.write(orgId, events);
  return orgId;
}

test("text on the screen is found by typing it", async ({ viewer, page, request }) => {
  const orgId = await plant(await Api.signIn(request), "Searched");
  const disabled = /mallory@example\.test disabled policy Antivirus on CDG-WS-008/;
  for (const typed of [
    "antivirus disabled",
    "antivirus CDG-WS-008",
    "198.51.100.77",
    "198.51.100.0/24",
    "who disabled the antivirus policy on CDG-WS-008 last Tuesday, from which address",
  ]) {
    await viewer.open(`?orgId=${orgId}`);
    await viewer.searchFor(typed);
    await expect(viewer.entries(disabled), typed).toBeVisible();
    await expect(viewer.entries(), typed).toHaveCount(1);
  }
  await expect(page.locator("mark").first()).toBeVisible();
  await expectAccessible(page);
  await viewer.open(`?orgId=${orgId}`);
  await viewer.searchFor("before:2026-04-01 policy");
  await expect(viewer.entries(/updated policy Baseline/)).toBeVisible();
  await viewer.open(`?orgId=${orgId}`);
  await viewer.searchFor("actor:System");
  await expect(viewer.entries(/System raised alert Disk full on FAB-SRV-001/)).toBeVisible();
  await expect(viewer.entries(disabled)).toHaveCount(0);
});

test("one plain-language line finds who, where and when, and each part can be undone", async ({
  viewer,
  page,
  request,
}) => {
  const orgId = await plant(await Api.signIn(request), "Stranger");
  const disabled = /mallory@example\.test disabled policy Antivirus on CDG-WS-008/;
  const ask = async (line: string) => {
    await viewer.open(`?orgId=${orgId}`);
    await viewer.searchFor(line);
  };
  await ask("who turned off the AV");
  await expect(viewer.entries(disabled)).toBeVisible();
  await expect(viewer.entries()).toHaveCount(1);
  await ask("who came from a new address");
  await expect(viewer.chips).toContainText("New address");
  await expect(viewer.entries(disabled)).toBeVisible();
  await ask("what happened last tuesday between 11 and 12");
  await expect(viewer.chips).toContainText(", 11:00 to 12:00");
  await expect(viewer.entries(disabled)).toBeVisible();
  await expect(viewer.entries()).toHaveCount(4);
  await expectAccessible(page);
  await page.getByRole("button", { name: /^Remove filter Time: / }).click();
  await expect(viewer.entries(/updated policy Baseline/)).toBeVisible();
  await ask("denied exports by jane last tuesday");
  await expect(viewer.entries(/was denied permission to export data/)).toBeVisible();
  await page.getByRole("button", { name: "Search these words literally" }).click();
  await expect(page.getByRole("heading", { name: "Nothing matches" })).toBeVisible();
  await expect(viewer.search).toHaveValue("denied exports by jane last tuesday");
});

test("no results suggests a correction and the fewest words to drop", async ({ viewer, page, request }) => {
  const orgId = await plant(await Api.signIn(request), "Zero");
  await viewer.open(`?orgId=${orgId}`);
  await viewer.searchFor("antivrus tuseday");
  await page.getByRole("button", { name: "antivirus", exact: true }).click();
  await expect(viewer.search).toHaveValue(/^antivirus.* tuseday$/);
  await page.getByRole("button", { name: "tuesday", exact: true }).click();
  await expect(viewer.entries(/disabled policy Antivirus/)).toBeVisible();
  await viewer.open(`?orgId=${orgId}`);
  await viewer.searchFor("baseline disk jane@example.test");
  const without = page.getByRole("button", { name: /^Without baseline and disk: 3 entries|^Without disk: 1 entry/ });
  await expect(without.first()).toBeVisible();
  await expectAccessible(page);
});

test("failed or denied is one filter, and the sentences show it", async ({ viewer, request }) => {
  const orgId = await plant(await Api.signIn(request), "Refused");
  await viewer.open(`?orgId=${orgId}`);
  await viewer.searchFor("actor:jane result:failure,denied");
  await expect(viewer.chips).toContainText("Failure or Denied");
  await expect(viewer.entries(/was denied permission to export data/)).toBeVisible();
  await expect(viewer.entries(/tried to export data, which failed/)).toBeVisible();
  await expect(viewer.entries()).toHaveCount(2);
});

/** A little after 9 today or, before that, yesterday, in the tests' zone, UTC. */
function afterNine(): Date {
  const nine = Math.floor(Date.now() / DAY_MS) * DAY_MS + 9 * 3_600_000;
  return new Date((nine <= Date.now() ? nine : nine - DAY_MS) + 30_000);
}

test("a question filters by actor, time and outcome, and its export matches", async ({ viewer, page, request }) => {
  const api = await Api.signIn(request);
  const orgId = await plant(api, "Questioned");
  const jane = { actorType: "user", actorEmail: "jane@example.test", timestamp: afterNine().toISOString() };
  const update = { ...jane, action: "policy.update", resourceType: "policy" };
  await api.write(
    orgId,
    ["success", "failure", "denied"].map((result) => ({ ...update, result })),
  );
  await viewer.open(`?orgId=${orgId}`);
  await viewer.searchFor("everything Jane did from 9 to 10 that failed or was denied, as CSV");
  await expect(page.getByRole("button", { name: "Remove filter Actor: Jane" })).toBeVisible();
  await expect(viewer.chips).toContainText("Failure or Denied");
  await expect(viewer.entries()).toHaveCount(2);
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("dialog").getByRole("button", { name: "Export", exact: true }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^audit-questioned-[\d-]+-0900-to-[\d-]+-1000\.csv$/);
  const csv = await readFile(await file.path(), "utf8");
  expect(csv.trim().split("\r\n")).toHaveLength(3);
});

test("the command palette parses a search like the search box", async ({ page }) => {
  await page.goto("/scripts");
  await page.keyboard.press("Control+k");
  const search = page.getByLabel("Go to a page, view, person, device or organization");
  await search.fill("result:denied nobody-of-that-name");
  await page.getByText('Search the audit log for "result:denied nobody-of-that-name"').click();
  await expect(page).toHaveURL(/[?&]result=denied/);
  await expect(page).toHaveURL(/[?&]q=nobody-of-that-name/);
});

test("no results names the excluding word and an unknown qualifier", async ({ viewer, page, request }) => {
  const orgId = await plant(await Api.signIn(request), "Mistyped");
  await viewer.open(`?orgId=${orgId}`);
  await viewer.searchFor("antivirus desabled");
  const without = page.getByRole("button", { name: "Without desabled: 1 entry" });
  await expect(without).toBeVisible();
  await expectAccessible(page);
  await without.click();
  await expect(viewer.entries(/disabled policy Antivirus/)).toBeVisible();
  await viewer.searchFor("host:CDG-WS-008");
  await expect(page.getByText(/is not a filter; it was searched as text/)).toBeVisible();
  await page.getByRole("button", { name: "Search for device:CDG-WS-008 instead" }).click();
  await expect(viewer.chips).toContainText("CDG-WS-008");
  await expect(viewer.entries(/disabled policy Antivirus/)).toBeVisible();
});

test("a two-letter search says that older entries were not searched, and can continue", async ({
  viewer,
  page,
  request,
}) => {
  const api = await Api.signIn(request);
  const { pagination } = await api.call<{ pagination: object }>("GET", "/audit-logs?limit=1");
  await viewer.open();
  // As where the time was up before a match was met.
  await answering(page, "audit.list", { data: [], truncated: true, pagination });
  await viewer.searchFor("zq");
  await expect(page.getByRole("heading", { name: "No match among the newest entries" })).toBeVisible();
  await expect(page.getByText("Older entries have not been searched yet.")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Nothing matches" })).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Older" }).click();
  await expect(page).toHaveURL(/cursor=/);
  await expect(page.getByRole("heading", { name: "No match among these entries" })).toBeVisible();
});

test("a time range can be typed, stepped and widened", async ({ viewer, page }) => {
  await viewer.open();
  await page.getByRole("button", { name: "Time range: All time" }).click();
  await page.getByLabel("Type a time").fill("no such time");
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await expect(page.getByText(/Not a recognized time/)).toBeVisible();
  await page.getByLabel("Type a time").fill("2026-10-20 9-10");
  await page.getByLabel("Type a time").press("Enter");
  await expect(page.getByText("20 Oct 2026, 09:00:00 to 20 Oct 2026, 09:59:59", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Earlier" }).click();
  await expect(page.getByText("20 Oct 2026, 08:00:00 to 20 Oct 2026, 08:59:59", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Zoom out" }).click();
  await expect(page.getByText("20 Oct 2026, 07:30:00 to 20 Oct 2026, 09:29:59", { exact: true })).toBeVisible();
});

test("qualifiers work even if the time-parsing scripts cannot be loaded", async ({ viewer, page }) => {
  await viewer.open();
  await page.route("**/_next/static/**", (route) => route.abort());
  await viewer.search.fill("result:denied printer");
  await viewer.search.press("Enter");
  await expect(page).toHaveURL(/result=denied/);
  await expect(page).toHaveURL(/q=printer/);
});
