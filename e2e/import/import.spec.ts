import { Frame } from "@/e2e/pages/frame";
import { ImportWizard } from "@/e2e/pages/import";
import { Api } from "@/e2e/support/api";
import { failing } from "@/e2e/support/faults";
import { expect, expectAccessible, expectNoSidewaysScroll, test } from "@/e2e/support/fixtures";
import { makeSmallWorld } from "@/e2e/support/import-world";

const PHONE = { width: 390, height: 844 };

// The steps themselves are looked at by step-accessibility.spec.ts, on a phone as well.
/** Background work of an import gives way to all else on the machine. */
test.describe.configure({ timeout: 720_000 });

test("the import step is in the URL, survives a closed tab and fits a phone", async ({ page, request }) => {
  const given = await makeSmallWorld(await Api.signIn(request));
  const wizard = new ImportWizard(page);
  await wizard.begin();
  await wizard.read("automate.csv", given.csv);
  await wizard.choose(`Where ${given.p} Patched goes`, "Leave out");
  await page.getByRole("textbox", { name: `Name of the field for ${given.field}` }).fill("Shelf in the store");
  await wizard.go("Continue", "Values");
  await expect(page).toHaveURL(/step=values/);
  await page.reload();
  await expect(wizard.step("Values")).toContainText("to Shelf in the store");
  await page.goBack();
  await expect(wizard.step("Fields")).toBeVisible();
  await expect(page).toHaveTitle("Import custom fields · Trailmark");
  await page.setViewportSize(PHONE);
  for (const step of ["Source", "Fields", "Values"]) {
    await page.getByRole("navigation", { name: "Steps of the import" }).getByRole("button", { name: step }).click();
    await expect(wizard.step(step)).toBeVisible();
    await expectNoSidewaysScroll(page);
  }
  await wizard.go("Check all rows", "Check");
  await expect(wizard.row(given.known)).toBeVisible();
  await expectNoSidewaysScroll(page);
});

test("a broken file is reported and replaced, and an import is discarded", async ({ page }) => {
  const wizard = new ImportWizard(page);
  await wizard.begin();
  const file = (name: string, text: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.locator("input[type=file]").setInputFiles(file("broken.csv", 'Computer ID,Name\n1,"never closed\n2,x\n'));
  await expect(page.getByText("starts near line 2 and is never closed. Nothing was imported")).toBeVisible();
  await expect(page.getByRole("button", { name: "Read the file" })).toBeDisabled();
  await expect(page.getByText("Replace the file that cannot be read.")).toBeVisible();
  await expectAccessible(page);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Replace broken.csv" }).click();
  await (await chooser).setFiles(file("mended.csv", "Computer ID,Computer Name,Shelf\n1,PC-1,A\n"));
  await expect(page.getByRole("region", { name: "First rows of mended.csv" })).toContainText("PC-1");
  await expect(page.getByText("broken.csv")).toHaveCount(0);
  await page.getByRole("button", { name: "Discard this import" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await expect(page.getByRole("button", { name: "Choose files" })).toBeVisible();
  await expect(page.getByRole("link", { name: "mended.csv" })).toHaveCount(0);
});

test("a file that a busy server did not read is not called broken and works on Retry", async ({ page }) => {
  const wizard = new ImportWizard(page);
  await wizard.begin();
  const detail = "The server is too busy to read the file at this moment. Try again in a minute.";
  const mend = await failing(page, "imports.preview", { code: "unavailable", detail, status: 503 });
  const buffer = Buffer.from("Computer ID,Computer Name,Shelf\n1,PC-1,A\n");
  await page.locator("input[type=file]").setInputFiles({ name: "waiting.csv", mimeType: "text/csv", buffer });
  const failure = new Frame(page).failure("the first rows of waiting.csv");
  await expect(failure).toContainText(detail);
  await expect(page.getByText("Correct the file")).toHaveCount(0);
  await expectAccessible(page);
  await mend();
  await failure.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("region", { name: "First rows of waiting.csv" })).toContainText("PC-1");
});

const late = () => {
  const rows = Array.from({ length: 900 }, (_, n) => `${n + 1},PC-${n + 1},${"a note ".repeat(60)}`);
  const text = ["Computer ID,Computer Name,Note", ...rows, '901,PC-901,"never closed', ""].join("\n");
  return { name: "late.csv", mimeType: "text/csv", buffer: Buffer.from(text) };
};

test("a file broken beyond its first rows is not read again unchanged", async ({ page }) => {
  const wizard = new ImportWizard(page);
  await wizard.begin();
  const read = page.getByRole("button", { name: "Read the file" });
  await page.locator("input[type=file]").setInputFiles(late());
  await expect(page.getByText("starts near line 902 and is never closed.")).toBeVisible();
  await expect(read).toBeDisabled();
  await expect(page.getByText("Replace the file that cannot be read, or change how it is read.")).toBeVisible();
  await wizard.choose("Shape", "One row per computer and field");
  await expect(page.getByText("The file has more than 300 columns or fields.")).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Shape" })).toHaveValue("One row per computer and field");
  await expect(read).toBeDisabled();
  await expectAccessible(page);
  await page.reload();
  await expect(page.getByText("The file has more than 300 columns or fields.")).toBeVisible();
  await wizard.choose("Shape", "One row per computer");
  await expect(read).toBeEnabled();
});

test("a late response does not undo a newer change", async ({ page }) => {
  const wizard = new ImportWizard(page);
  await wizard.begin();
  const read = page.getByRole("button", { name: "Read the file" });
  const refusal = page.getByText("starts near line 902 and is never closed.");
  await page.locator("input[type=file]").setInputFiles(late());
  await expect(refusal).toBeVisible();
  let hold = () => {};
  const held = new Promise<void>((resolve) => {
    hold = resolve;
  });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const isState = (url: URL) => url.pathname.includes("imports.get");
  await page.route(isState, async (route) => {
    const response = await route.fetch();
    hold();
    await released;
    await route.fulfill({ response });
  });
  // A reader comes back to the window after a while: what it shows is asked for again.
  await page.clock.setFixedTime(Date.now() + 60_000);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  await held;
  await wizard.choose("Encoding", "Windows-1252 (Western)");
  await expect(read).toBeEnabled();
  const stale = page.waitForResponse((response) => isState(new URL(response.url())));
  release();
  await (await stale).finished();
  await page.evaluate(() => new Promise((done) => setTimeout(done)));
  await expect(refusal).toHaveCount(0);
  await expect(read).toBeEnabled();
});

test("an interrupted upload asks for the file again", async ({ page }) => {
  const wizard = new ImportWizard(page);
  await wizard.begin();
  const text = `Computer ID,Computer Name,Note\n${"1,PC-1,a note of some length\n".repeat(330_000)}`;
  const file = { name: "large.csv", mimeType: "text/csv", buffer: Buffer.from(text) };
  const isSecondPart = (url: URL) => url.pathname.endsWith("/upload") && url.searchParams.get("offset") !== "0";
  await page.route(isSecondPart, (route) => route.abort());
  await page.locator("input[type=file]").setInputFiles(file);
  await expect(page.getByText("The connection was lost while large.csv was sent.")).toBeVisible();
  await page.unroute(isSecondPart);
  await page.reload();
  await expect(page.getByText("The upload is incomplete.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Read the file" })).toBeDisabled();
  const small = { ...file, buffer: Buffer.from(text.slice(0, 500)) };
  await page.locator("input[type=file]").first().setInputFiles(small);
  await expect(page.getByRole("region", { name: "First rows of large.csv" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Read the file" })).toBeEnabled();
});
