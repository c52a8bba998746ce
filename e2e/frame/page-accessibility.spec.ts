import { readdirSync } from "node:fs";
import { basename, dirname, sep } from "node:path";
import type { Page } from "playwright/test";
import { Api } from "@/e2e/support/api";
import {
  expect,
  expectAccessible,
  expectAccessibleInBoth,
  expectNoSidewaysScroll,
  expectSound,
  PHONE,
  test,
  violationsOn,
} from "@/e2e/support/fixtures";
import { expectSteady, STEADY } from "@/e2e/support/steady";

let ids: Record<string, string> = {};
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ baseURL });
  const api = await Api.signIn(request);
  const customer = `Pages ${crypto.randomUUID().slice(0, 8)}`;
  const orgId = await api.makeChain(customer);
  const { deviceId } = await api.enroll(orgId, "WS-PAGES");
  const name = `Asset ${crypto.randomUUID().slice(0, 8)}`;
  await api.call("POST", "/custom-fields", { orgId, name, fieldKey: "asset_tag", type: "text" });
  await api.call("PATCH", `/devices/${deviceId}/custom-fields`, { asset_tag: "A-1" });
  const { entries } = await api.call<{ entries: { id: string }[] }>("GET", `/audit-logs?orgId=${orgId}`);
  const { user } = await api.call<{ user: { id: string; name: string } }>("GET", "/me");
  const config = { url: "https://siem.example.com/ingest" };
  const stream = await api.call<{ id: string }>("POST", "/streams", { orgId, name: "SIEM", kind: "https", config });
  ids = {
    STREAM: stream.id,
    PERSON: user.name,
    ACTOR: user.id,
    ORG: orgId,
    DEVICE: deviceId,
    ENTRY: entries[0]?.id ?? "",
    CUSTOMER: customer,
  };
  await request.dispose();
});

const at = (path: string) => path.replace(/ORG|DEVICE|ENTRY|CUSTOMER|ACTOR|PERSON|STREAM/, (name) => ids[name] ?? "");

/** Every page, and the states of a page that look different; `heading` is the title too. */
const PAGES: [path: string, heading: string][] = [
  ["/", "Audit log"],
  ["/devices", "Devices"],
  ["/devices?page=9", "Devices"],
  ["/devices/DEVICE", "WS-PAGES"],
  ["/devices/DEVICE?tab=diagnostics", "WS-PAGES"],
  ["/devices/DEVICE?tab=events", "WS-PAGES"],
  ["/devices/DEVICE?tab=live", "WS-PAGES"],
  ["/devices/DEVICE?tab=history", "WS-PAGES"],
  ["/actors/ACTOR", "PERSON"],
  ["/addresses?ip=127.0.0.1", "127.0.0.1"],
  ["/audit/compare", "Compare entries"],
  ["/audit/ENTRY/around", "Everything around this moment"],
  ["/organizations", "Organizations"],
  ["/organizations/ORG", "CUSTOMER"],
  ["/integrity", "Integrity"],
  ["/integrity?orgId=ORG", "Integrity"],
  ["/reports", "Reports"],
  ["/reports?orgId=ORG&report=security", "Reports"],
  ["/reports?orgId=ORG&report=compliance", "Reports"],
  ["/reports?orgId=ORG&report=statistics", "Reports"],
  ["/alerts", "Alerts"],
  ["/archived", "Archived"],
  ["/settings/detections", "Detection rules"],
  ["/settings/detections?filter=%7B%22result%22%3A%22denied%22%7D", "Detection rules"],
  ["/settings/streams", "Data streams"],
  ["/settings/streams/new", "New data stream"],
  ["/settings/streams/new?to=https", "New data stream"],
  ["/settings/streams/new?to=archive", "New data stream"],
  ["/settings/streams/new?draft=STREAM&step=check", "New data stream"],
  ["/settings/streams/STREAM", "SIEM"],
  ["/scripts", "Scripts"],
  ["/start", "Getting started"],
  ["/settings/users", "Users"],
  ["/account", "Your account"],
  ["/invite", "Accept your invitation"],
  ["/reset", "Choose a new password"],
  ["/forgot", "Forgot your password?"],
  ["/settings/api-keys", "API keys"],
  ["/settings/enrollment", "Enrollment"],
  ["/settings/custom-fields?orgId=ORG", "Custom fields"],
  ["/settings/custom-fields/import", "Import custom fields"],
  ["/settings/retention", "Retention"],
  ["/settings/retention?orgId=ORG", "Retention"],
  ["/settings/notifications", "Notification settings"],
  ["/settings/notifications?tab=reports", "Notification settings"],
  ["/settings/notifications?tab=webhooks", "Notification settings"],
  ["/notifications", "Notifications"],
  ["/notifications?status=resolved", "Notifications"],
  ["/verify", "Verify an evidence bundle"],
  ["/nowhere", "This page doesn't exist"],
];

test("covers every page that must not shift", () => {
  const paths = PAGES.map(([path]) => path);
  expect(STEADY.filter((path) => !paths.includes(path))).toEqual([]);
});

/** Pages with separate tests: an entry in keys.spec.ts, the rest below, in first-run.spec.ts and in proof.spec.ts. */
const ELSEWHERE = ["/audit/[id]", "/login", "/setup"];

test("covers every page of the app", () => {
  const folders = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => basename(file) === "page.tsx")
    .map(
      (file) =>
        `/${dirname(file)
          .split(sep)
          .filter((part) => !/^\(.*\)$|^\.$/.test(part))
          .join("/")}`,
    );
  const seen = PAGES.map(([path]) => path.replace(/\?.*/, "").replace(/ORG|DEVICE|ENTRY|ACTOR|STREAM/, "[id]"));
  expect(folders.filter((folder) => ![...seen, ...ELSEWHERE].includes(folder))).toEqual([]);
});

/** A window of 1440 px at 200 %. */
const ZOOMED = { width: 720, height: 450 };

/** Violations of the page's content security policy, and errors, from now on. */
function faultsOf(page: Page): string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (line) => {
    if (/Content Security Policy|Hydration|Minified React error/.test(line.text())) faults.push(line.text());
  });
  return faults;
}

for (const [path, heading] of PAGES)
  test(`${path} is steady, accessible and free of CSP violations and errors`, async ({ page }) => {
    const faults = faultsOf(page);
    const shown = () => expect(page.getByRole("heading", { level: 1, name: at(heading) })).toBeVisible();
    if (STEADY.includes(path)) {
      // Without the fonts: where a line breaks while they come differs from one machine's fallback to another's.
      await page.route("**/*.woff2", (route) => route.abort());
      await page.goto(at(path));
      await shown();
      await expectSteady(page);
      await page.unroute("**/*.woff2");
    }
    await page.goto(at(path));
    await shown();
    await expect(page.getByRole("status", { name: /Loading/ })).toHaveCount(0);
    await expect(page).toHaveTitle(`${at(heading)} · Trailmark`);
    // A page that shows one place of a long list cuts a row at its fixed head.
    await expectSound(page, () => page.evaluate(() => window.scrollTo(0, 0)));
    await page.setViewportSize(ZOOMED);
    await expectNoSidewaysScroll(page);
    expect(faults).toEqual([]);
  });

test("the sign-in page has no accessibility violations", async ({ guest }) => {
  await guest.goto("/login");
  await expect(guest.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await expectAccessibleInBoth(guest);
});

test("an open entry, the filters and the range menu have no accessibility violations", async ({ viewer, page }) => {
  await viewer.open("?action=user.login");
  await viewer
    .entries(/signed in/)
    .first()
    .click();
  await expect(viewer.drawer.getByRole("region", { name: "Raw entry", exact: true })).toBeVisible();
  await expectAccessibleInBoth(page);
  await page.keyboard.press("Escape");
  await viewer.openFacets();
  await expectAccessibleInBoth(page);
  await viewer.search.fill("res");
  await expect(viewer.suggestions).toBeVisible();
  await expectAccessibleInBoth(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /Time range/ }).click();
  await expect(page.getByRole("button", { name: /Last hour/ })).toBeVisible();
  await expectAccessibleInBoth(page);
});

test.describe("dark mode", () => {
  test.use({ colorScheme: "dark" });

  test("a page is dark before and after hydration, without violations", async ({ page }) => {
    const faults = faultsOf(page);
    await page.goto("/");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
    await expect(page.getByRole("status", { name: /Loading/ })).toHaveCount(0);
    await expectAccessible(page);
    expect(faults).toEqual([]);
  });
});

test("the check detects a control whose name omits its label", async ({ page }) => {
  await page.goto("/scripts");
  await expect(page.getByRole("heading", { level: 1, name: "Scripts" })).toBeVisible();
  await page.evaluate(() => {
    const button = document.createElement("button");
    button.textContent = "Visible words";
    button.ariaLabel = "Another name";
    button.id = "planted";
    document.querySelector("main")?.append(button);
  });
  expect(await violationsOn(page)).toEqual(["label-content-name-mismatch: #planted"]);
});

test("on a phone the navigation is a drawer that opens the pages", async ({ page }) => {
  await page.setViewportSize(PHONE);
  await page.goto("/");
  await page.getByRole("button", { name: "Open navigation" }).click();
  const drawer = page.getByRole("dialog", { name: "Trailmark" });
  await expect(drawer).toBeVisible();
  await expectAccessible(page);
  await drawer.getByRole("link", { name: "Devices" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Devices" })).toBeVisible();
  await expect(drawer).toHaveCount(0);
});

test.describe("with reduced motion", () => {
  test.use({ contextOptions: { reducedMotion: "reduce" } });

  for (const path of ["/", "/devices", "/reports", "/integrity?orgId=ORG"])
    test(`${path} has no animations`, async ({ page }) => {
      await page.goto(at(path));
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(page.getByRole("status", { name: /Loading/ })).toHaveCount(0);
      const durations = await page.evaluate(() =>
        [...document.querySelectorAll("*")].flatMap((element) => {
          const { transitionDuration, animationDuration } = getComputedStyle(element);
          return `${transitionDuration},${animationDuration}`.split(",").map(Number.parseFloat);
        }),
      );
      expect(Math.max(...durations)).toBeLessThan(0.001); // seconds
    });
});
