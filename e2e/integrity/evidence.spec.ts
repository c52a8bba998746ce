import { IntegrityPage } from "@/e2e/pages/integrity";
import { VerifyPage } from "@/e2e/pages/verify";
import { Api } from "@/e2e/support/api";
import { expect, expectAccessible, expectNoSidewaysScroll, test } from "@/e2e/support/fixtures";

const PHONE = { width: 390, height: 844 };

/** One row's contents changed, its checksum left as it was. */
function alter(bundle: string): string {
  const lines = bundle.split("\n");
  const at = lines.findIndex((line) => line.startsWith('{"type":"row"'));
  lines[at] = (lines[at] as string).replace('"result":"success"', '"result":"failure"');
  return lines.join("\n");
}

test("verify a chain on demand, and its bundle in an offline browser", async ({ page, guest, request }) => {
  const orgId = await (await Api.signIn(request)).makeChain("Evidence");
  const integrity = new IntegrityPage(page);
  await integrity.open(orgId);
  await integrity.verifyNow();
  await expect(integrity.verdict("Intact, from the first entry to the last")).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  const bundle = await integrity.downloadEvidence();

  const verify = new VerifyPage(guest);
  await verify.open();
  await expect(guest.getByText("You may go offline")).toBeVisible();
  const sent: string[] = [];
  guest.on("request", (outgoing) => sent.push(outgoing.url()));
  await guest.context().setOffline(true);
  await verify.choose(bundle);
  await expect(verify.verdict("Intact")).toBeVisible();
  await expect(guest.getByText("Evidence", { exact: true })).toBeVisible();
  expect(sent).toEqual([]);
  await expectAccessible(guest);
  await verify.entries.getByRole("button").first().press("Enter");
  await expect(guest.getByRole("dialog")).toContainText("chainSeq");
  await expectAccessible(guest);
  await guest.keyboard.press("Escape");
  await verify.search("no entry holds this");
  await expect(guest.getByText("No entry contains")).toBeVisible();
  await guest.evaluate(() => {
    Blob.prototype.arrayBuffer = () =>
      new Promise((_, fail) => {
        addEventListener("unreadable", fail);
        document.documentElement.dataset.reading = "";
      });
  });
  await verify.search("entry");
  await expect(guest.getByText("Searching for “entry”")).toBeVisible();
  await expect(guest.locator("html")).toHaveAttribute("data-reading");
  await guest.evaluate(() => window.dispatchEvent(new Event("unreadable")));
  await expect(guest.getByText("which entries contain “entry” is not known")).toBeVisible();
  await verify.search("");
  await expect(verify.entries).toBeVisible();
  await guest.setViewportSize(PHONE);
  await expectNoSidewaysScroll(guest);
  await guest.emulateMedia({ media: "print" });
  await expect(guest.getByRole("heading", { name: "Certificate of verification" })).toBeVisible();
  await expect(verify.entries).toBeHidden();
  const sheets = (await guest.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g);
  expect(sheets).toHaveLength(1);
});

test("a range's result is not shown for another range or after Back", async ({ page, request }) => {
  const orgId = await (await Api.signIn(request)).makeChain("Ranges");
  const integrity = new IntegrityPage(page);
  await integrity.open(orgId);
  await page.getByText("By entry", { exact: true }).click();
  await page.getByLabel("First entry").fill("1");
  await page.getByLabel("Last entry").fill("2");
  await integrity.verifyNow();
  await expect(integrity.verdict("Intact in this range")).toBeVisible();
  const result = page.getByText("entries checked,");
  await page.getByText("By time", { exact: true }).click();
  await expect(page).not.toHaveURL(/toSeq=2/);
  await expect(result).toHaveCount(0);
  await page.goBack();
  await expect(page.getByRole("radio", { name: "By entry" })).toBeChecked();
  await expect(page.getByLabel("Last entry")).toHaveValue("2");
  await integrity.verifyNow();
  await expect(result).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel("Last entry")).toHaveValue("");
  await expect(result).toHaveCount(0);
});

test("distinguishes an altered row, a foreign signer and a file that is no bundle", async ({
  page,
  guest,
  request,
}) => {
  const orgId = await (await Api.signIn(request)).makeChain("Altered evidence");
  const integrity = new IntegrityPage(page);
  await integrity.open(orgId);
  const bundle = await integrity.downloadEvidence();
  const verify = new VerifyPage(guest);

  await verify.open();
  await verify.choose(alter(bundle));
  await expect(verify.verdict("Broken")).toBeVisible();
  await expect(verify.breaks().filter({ hasText: "Entry 1" })).toContainText("Altered");
  await expectAccessible(guest);

  await guest.getByRole("button", { name: "Check another bundle" }).click();
  await verify.choose("not a bundle", "notes.txt");
  await expect(verify.verdict("Unreadable")).toBeVisible();

  await guest.getByRole("button", { name: "Check another bundle" }).click();
  await verify.key.fill("nonsense");
  await expect(guest.getByText("is not a verifier key of a log")).toBeVisible();
  await verify.key.fill("elsewhere.example+2c3e6502+AWVncZBeHvcx9lzQoNn7BhI4OAoaAS5qvfhG7MfS6jb9");
  await verify.choose(bundle);
  await expect(verify.verdict("Not proven")).toBeVisible();
  await expect(guest.getByText("Your key, which signed no checkpoint here")).toBeVisible();
});
