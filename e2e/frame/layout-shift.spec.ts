import type { Page } from "playwright/test";
import { Api } from "@/e2e/support/api";
import { expect, expectNoSidewaysScroll, PHONE, test } from "@/e2e/support/fixtures";
import { expectSteady, STEADY } from "@/e2e/support/steady";

let ids: Record<string, string> = {};
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ baseURL });
  const api = await Api.signIn(request);
  const org = await api.makeChain("Steady");
  ids = { ORG: org, DEVICE: (await api.enroll(org, "WS-STEADY")).deviceId };
  await request.dispose();
});

const addressOf = (path: string) => path.replace(/ORG|DEVICE/, (name) => ids[name] ?? "");

async function openOnPhone(page: Page, address: string): Promise<void> {
  // Without the fonts: where a line breaks while they come differs from one machine's fallback to another's.
  await page.route("**/*.woff2", (route) => route.abort());
  await page.setViewportSize(PHONE);
  await page.goto(address);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

// On a desk they are measured where everything else about a page is: page-accessibility.spec.ts.
for (const path of STEADY)
  test(`${path} does not shift while loading on a phone`, async ({ page }) => {
    await openOnPhone(page, addressOf(path));
    await expectSteady(page);
  });

test("the page of an active chain does not shift while loading", async ({ page, request }) => {
  const api = await Api.signIn(request);
  const org = await api.makeChain("Written to");
  await api.call("GET", `/audit-logs/integrity?orgId=${org}`);
  await api.call("PUT", `/orgs/organizations/${org}/audit-retention`, { retentionDays: 500 });
  await openOnPhone(page, `/integrity?orgId=${org}`);
  await expectSteady(page);
});

test("no list column is squeezed between phone and desktop width", async ({ page }) => {
  for (const path of ["/devices", "/settings/users", "/settings/enrollment"]) {
    await page.goto(path);
    const cell = page.getByRole("cell").first();
    await expect(cell).toBeVisible();
    for (const width of [640, 800, 1000, 1180]) {
      await page.setViewportSize({ width, height: 800 });
      await expect
        .poll(async () => (await cell.boundingBox())?.width, { message: `${path} at ${width}` })
        .toBeGreaterThan(110);
      await expectNoSidewaysScroll(page);
    }
  }
});
