import { IntegrityPage } from "@/e2e/pages/integrity";
import { Api } from "@/e2e/support/api";
import { expect, test } from "@/e2e/support/fixtures";

test.beforeEach(({ page }) =>
  page.addInitScript(() => {
    Reflect.deleteProperty(Crypto.prototype, "randomUUID");
    Reflect.deleteProperty(Navigator.prototype, "clipboard");
  }),
);

test("verifying and copying work over plain HTTP without clipboard and UUID APIs", async ({
  page,
  request,
  viewer,
}) => {
  const orgId = await (await Api.signIn(request)).makeChain("Plain HTTP");
  const integrity = new IntegrityPage(page);
  await integrity.open(orgId);
  expect(await page.evaluate(() => "clipboard" in navigator || "randomUUID" in crypto)).toBe(false);
  await integrity.verifyNow();
  await expect(integrity.verdict("Intact, from the first entry to the last")).toBeVisible();

  await viewer.open(`?orgId=${orgId}`);
  await viewer.copyLink();
  await expect(page.getByRole("button", { name: /^(Copy link|Link copied)$/ })).toBeFocused();
  await viewer.search.focus();
  await page.keyboard.press("ControlOrMeta+v");
  await expect(viewer.search).toHaveValue(new RegExp(`orgId=${orgId}`));
});
