import { Columns } from "@/e2e/pages/columns";
import { heldScripts } from "@/e2e/support/faults";
import { expect, expectAccessibleInBoth, expectSound, test } from "@/e2e/support/fixtures";

/** Tests change what one and the same person prefers. */
test.describe.configure({ mode: "serial" });

test("selected columns and their order are saved and appear in the URL", async ({ viewer, page }) => {
  const columns = new Columns(page);
  await viewer.open("?cols=time,event,action,ip,result");
  await columns.open();
  await columns.tick("From").uncheck();
  await columns.tick("Sequence").check();
  await expect(columns.heading("From")).toHaveCount(0);
  await expect(columns.tick("Entry")).toBeDisabled();
  const saved = columns.saved('["time","event","seq"');
  await columns.chooser.getByRole("button", { name: "Move Sequence up" }).press("Enter");
  await expect(columns.chooser.getByRole("button", { name: "Move Sequence up" })).toBeFocused();
  await expect(columns.chooser.getByRole("status")).toContainText("Sequence is column");
  await saved;
  await expect(page).toHaveURL(/cols=time,event,seq,action,result/);
  await columns.close();

  await viewer.open();
  await expect.poll(() => columns.names()).toEqual(["Time", "Entry", "Sequence", "Action", "Result"]);
  await viewer.open("?cols=result,event");
  await expect.poll(() => columns.names()).toEqual(["Result", "Entry"]);
});

test("the first paint uses the saved columns without layout shift", async ({ browser, admin, baseURL }) => {
  const context = await browser.newContext({ baseURL, storageState: admin, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/");
  expect(await new Columns(page).names()).toEqual(["Time", "Entry", "Sequence", "Action", "Result"]);
  await context.close();
});

test("the column chooser and views show a loading state until their scripts arrive", async ({ viewer, page }) => {
  await viewer.open();
  const release = await heldScripts(page);
  const columns = new Columns(page);
  for (const name of ["Display", "Views"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await expect(page.getByRole("dialog", { name }).getByRole("status", { name: "Loading" })).toBeVisible();
    await page.keyboard.press("Escape");
  }
  release();
  await columns.open();
  await expect(columns.chooser.getByRole("status", { name: "Loading" })).toHaveCount(0);
});

test("density switches between compact and normal, and Reset restores the default", async ({ viewer, page }) => {
  const columns = new Columns(page);
  const height = async () => (await viewer.table.getByRole("row").nth(2).boundingBox())?.height;
  await viewer.open("?action=user.login&result=success&cols=time,event,result&density=normal");
  await expect.poll(height).toBe(32);
  await columns.open();
  await columns.chooser.getByText("Compact").click();
  await expect(page).toHaveURL(/density=compact/);
  await expect.poll(height).toBe(28);
  const saved = columns.saved('"columns":null');
  await columns.chooser.getByRole("button", { name: /^Reset/ }).click();
  await saved;
  await expect(page).not.toHaveURL(/density|cols/);
  await expect.poll(height).toBe(32);
  await expect.poll(() => columns.names()).toContain("From");
});

test("column widths change by keyboard and dragging, and are saved", async ({ viewer, page }) => {
  const columns = new Columns(page);
  await viewer.open();
  const before = await columns.width("Time");
  await columns.edge("Time").focus();
  await page.keyboard.press("ArrowRight");
  await expect(columns.edge("Time")).toHaveAttribute("aria-valuenow", String(before + 8));
  const box = await columns.edge("From").boundingBox();
  if (!box) throw new Error("the edge is not shown");
  const from = await columns.width("From");
  const saved = columns.saved('"ip":');
  await page.mouse.move(box.x + 4, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(box.x - 36, box.y + 8, { steps: 4 });
  await page.mouse.up();
  await expect(columns.edge("From")).toHaveAttribute("aria-valuenow", String(from + 40));
  await saved;
  await page.reload();
  await expect(columns.edge("From")).toHaveAttribute("aria-valuenow", String(from + 40));
  await columns.edge("From").dblclick();
  await expect(columns.edge("From")).toHaveAttribute("aria-valuenow", String(from));
});

test("all columns scroll within the table, accessibly, and an invalid list shows a message", async ({
  viewer,
  page,
}) => {
  const columns = new Columns(page);
  await viewer.open("?cols=time,type,event,action,org,resourceType,device,ip,email,seq,result&density=compact");
  await expect(columns.heading("Sequence")).toBeAttached();
  await columns.open();
  await expectAccessibleInBoth(page);
  await columns.close();
  await expectSound(page);
  await viewer.open("?cols=time,colour");
  await expect(page.getByRole("status").filter({ hasText: "cols=time,colour" })).toBeVisible();
  await expect(columns.heading("Result")).toBeVisible();
  await expect(columns.heading("Time")).toHaveAttribute("aria-sort", "descending");
});
