import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright/test";
import { Frame } from "@/e2e/pages/frame";
import { SignInPage } from "@/e2e/pages/sign-in";
import { Api } from "@/e2e/support/api";
import { withDatabase } from "@/e2e/support/database";
import { failing, REQUEST_ID } from "@/e2e/support/faults";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";
import { ADMIN } from "@/testing/server";

type Case = { path: string; procedure: string; what: string; act: (page: Page) => Promise<void> };

const search = (label: string) => (page: Page) => page.getByLabel(label, { exact: true }).fill("nothing of that name");
const tab = (name: string) => (page: Page) => page.getByRole("tab", { name, exact: true }).click();

/** A page, what is asked of the server there by an act of the reader, and what cannot be loaded then. */
const CASES: Case[] = [
  { path: "/devices", procedure: "devices.list", what: "the devices", act: search("Search by name") },
  { path: "/settings/users", procedure: "users.list", what: "the users", act: search("Search by name or e-mail") },
  { path: "/reports", procedure: "audit.statistics", what: "the report on statistics", act: tab("Statistics") },
  { path: "/integrity?orgId=HOME", procedure: "integrity.checkpoints", what: "the checkpoints", act: narrow },
  { path: "/settings/enrollment", procedure: "enrollmentKeys.list", what: "the enrollment keys", act: narrow },
  { path: "/settings/api-keys", procedure: "apiKeys.list", what: "the API keys", act: narrow },
  { path: "/settings/retention?orgId=HOME", procedure: "retention.get", what: "the retention policy", act: narrow },
  {
    path: "/devices/DEVICE",
    procedure: "devices.diagnosticLogs",
    what: "the diagnostic logs",
    act: tab("Diagnostic logs"),
  },
  { path: "/devices/DEVICE", procedure: "devices.eventLogs", what: "the event logs", act: tab("Event logs") },
  { path: "/devices/DEVICE", procedure: "audit.list", what: "the audit history", act: tab("Audit history") },
];

/** Its own whenever the set-up runs, in every worker and again after another file: the switcher is asked for it by name. */
let name = "";
async function narrow(page: Page) {
  await new Frame(page).switchTo(name);
}

test.describe("a failed section shows the request ID and loads on Retry", () => {
  let ids: Record<string, string> = {};
  test.beforeAll(async ({ playwright, baseURL }) => {
    const request = await playwright.request.newContext({ baseURL });
    const api = await Api.signIn(request);
    name = `Failing ${crypto.randomUUID().slice(0, 8)}`;
    const org = await api.makeOrganization(name);
    const { data } = await api.call<{ data: { id: string; isHome: boolean }[] }>(
      "GET",
      "/orgs/organizations?limit=100",
    );
    const home = data.find((o) => o.isHome)?.id ?? "";
    ids = { ORG: org, HOME: home, DEVICE: (await api.enroll(org, "WS-FAILS")).deviceId };
    await request.dispose();
  });

  for (const { path, procedure, what, act } of CASES)
    test(what, async ({ page }) => {
      await page.goto(path.replace(/ORG|HOME|DEVICE/, (word) => ids[word] ?? ""));
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      const mend = await failing(page, procedure);
      const failure = new Frame(page).failure(what);
      await act(page);
      await expect(failure).toContainText(REQUEST_ID);
      await expectAccessible(page);
      await mend();
      await failure.getByRole("button", { name: "Retry" }).click();
      await expect(failure).toHaveCount(0);
    });
});

test("a rate-limited page says so and logs no error", async ({ guest, request, baseURL }) => {
  const person = await (await Api.signIn(request)).createPerson({ role: "partner_technician" });
  await new SignInPage(guest).signIn(person);
  const { id, email, password } = person;
  const { accessToken } = await (await request.post("/api/v1/auth/token", { data: { email, password } })).json();
  const gone = new AbortController();
  const change = {
    method: "PUT",
    headers: { Authorization: `Bearer ${accessToken}`, "Content-Type": "application/json" },
    body: JSON.stringify({ mailKinds: [] }),
    signal: gone.signal,
  };
  const asked = () => fetch(`${baseURL}/api/v1/me/notification-settings`, change);
  await withDatabase(async (sql) => {
    await sql.begin(async (tx) => {
      // Holds up this person's changes alone: other tests use the same server.
      await tx`INSERT INTO notification_settings (user_id) VALUES (${id})`;
      const waiting = Array.from({ length: 127 }, () => asked().then(({ status }) => status));
      // What is answered while nothing can be written is refused: as many wait as may.
      expect(await Promise.race(waiting)).toBe(429);
      // The crowd stays: each asks again, however long the page takes to come.
      const stay = async (first: Promise<number>) => {
        for (await first; !gone.signal.aborted; await asked()) await sleep(500, undefined, { signal: gone.signal });
      };
      // Half of it comes later, so that it is not given up all at once.
      const late = Array.from({ length: 120 }, () =>
        sleep(5_000)
          .then(() => asked())
          .then(({ status }) => status),
      );
      void Promise.allSettled([...waiting, ...late].map(stay));
      await guest.goto("/devices");
      const failure = new Frame(guest).failure("this page");
      // Where the crowd has waited for as long as it may, the page's own request does.
      await expect(failure).toContainText(
        /requests (of yours are waiting already|are still being worked on)\. Send fewer at a time\./,
      );
      await expectAccessible(guest);
    });
  });
  gone.abort();
  await new Frame(guest).failure("this page").getByRole("button", { name: "Retry" }).click();
  await expect(guest.getByRole("heading", { level: 1, name: "Devices" })).toBeVisible();
  expect(readFileSync("dist/results/e2e-server.log", "utf8")).not.toContain("Failed to parse URL");
});

test("failed audit log counts are not shown as zero, and load on Retry", async ({ page, viewer, request }) => {
  const api = await Api.signIn(request);
  const orgId = await api.makeOrganization("Counts that fail");
  await api.enroll(orgId, "WS-COUNTS");
  await page.goto(`/?orgId=${orgId}&range=1h`);
  await viewer.untilShown(/WS-COUNTS/);
  const mends = [await failing(page, "audit.routine"), await failing(page, "audit.histogram")];
  await page.getByRole("button", { name: /^Time range/ }).click();
  await page.getByRole("button", { name: /Last 24 hours/ }).click();
  const line = page.getByRole("status").filter({ hasText: "routine telemetry could not be counted" });
  const figure = page.getByRole("figure").filter({ hasText: "The entries over time could not be counted." });
  await expect(line).toBeVisible();
  await expect(figure).toBeVisible();
  await expectAccessible(page);
  for (const mend of mends) await mend();
  for (const failed of [line, figure]) {
    await failed.getByRole("button", { name: "Retry" }).click();
    await expect(failed).toHaveCount(0);
  }
});

test("an unreachable server is reported as unreachable", async ({ page }) => {
  await page.goto("/devices");
  await expect(page.getByRole("heading", { level: 1, name: "Devices" })).toBeVisible();
  await page.route("**/api/trpc/**", (route) => route.abort());
  await page.getByLabel("Search by name", { exact: true }).fill("anything");
  const failure = new Frame(page).failure("the devices");
  await expect(failure).toContainText("The server could not be reached. Nothing was changed.");
  await page.unroute("**/api/trpc/**");
  await failure.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("heading", { name: 'No results for "anything"' })).toBeVisible();
});

test("a session that ends on an open page leads to sign-in and back to the same place", async ({ guest }) => {
  const signIn = new SignInPage(guest);
  await signIn.signIn();
  await guest.goto("/devices");
  await expect(guest.getByRole("heading", { level: 1, name: "Devices" })).toBeVisible();
  await guest.waitForLoadState("networkidle");
  await guest.context().clearCookies();
  await guest.getByLabel("Search by name", { exact: true }).fill("WS");
  await expect(guest).toHaveURL(/\/login\?ended=1&callbackUrl=/);
  await expect(guest.getByText("Your session has ended. Sign in to continue where you were.")).toBeVisible();
  await expectAccessible(guest);
  await signIn.fill(ADMIN.email, ADMIN.password);
  await expect(guest).toHaveURL("/devices?search=WS");
});

test("opening a page with an expired session leads to sign-in and back", async ({ guest }) => {
  const signIn = new SignInPage(guest);
  await signIn.signIn();
  const { cookies } = await guest.context().storageState();
  // Away from a page that would notice by itself and go to the sign-in page meanwhile.
  await guest.goto("about:blank");
  await guest.context().addCookies(cookies.map((cookie) => ({ ...cookie, value: `${cookie.value.slice(0, -3)}abc` })));
  await guest.goto("/devices?search=WS");
  await expect(guest.getByText("Your session has ended. Sign in to continue where you were.")).toBeVisible();
  await signIn.fill(ADMIN.email, ADMIN.password);
  await expect(guest).toHaveURL("/devices?search=WS");
});
