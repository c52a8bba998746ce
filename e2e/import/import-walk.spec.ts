import { readFile } from "node:fs/promises";
import type { Page } from "playwright/test";
import { ImportWizard, WORK_MS } from "@/e2e/pages/import";
import { Api } from "@/e2e/support/api";
import { expect, test as shared } from "@/e2e/support/fixtures";
import {
  BAD_DATES,
  CLAIMS,
  correct,
  HELD,
  holdValues,
  MISSING,
  makeWorld,
  ROWS,
  TWINS,
} from "@/e2e/support/import-world";
import { startFresh } from "@/e2e/support/server";
import { freePort } from "@/testing/server";

/** With a server of its own: other tests' imports, and changes of custom fields, would wait for the one that is held up. */
const test = shared.extend<object, { base: string }>({
  base: [
    async ({ playwright: _ }, use) => {
      const fresh = await startFresh("e2e-import-walk", await freePort());
      process.env.TRAILMARK_E2E_DATA = fresh.dataDir;
      await use(fresh.base);
      await fresh.discard();
    },
    { scope: "worker", timeout: 300_000 },
  ],
});

const n = (value: number) => value.toLocaleString("en");

async function download(page: Page, link: string): Promise<string> {
  const file = page.waitForEvent("download");
  await page.getByRole("link", { name: link }).click();
  return readFile(await (await file).path(), "utf8");
}

test("import 5,000 computers with a reload midway, a corrected rest and an undo", async ({ page, request }) => {
  test.slow();
  const world = await makeWorld(await Api.signIn(request));
  const { p } = world;
  const wizard = new ImportWizard(page);
  await wizard.begin();
  await wizard.read("automate.csv", world.csv);
  await wizard.choose(`Type of the field for ${p} Bought`, "Date");
  await wizard.go("Continue", "Values");
  await page.getByRole("switch", { name: `Overwrite other values of ${p} Owner` }).check();
  await wizard.go("Check all rows", "Check");
  const matched = ROWS - MISSING - TWINS - CLAIMS;
  await expect(wizard.count("Matched by hostname")).toHaveText(n(matched));
  await expect(wizard.count("Not found")).toHaveText(n(MISSING));
  await expect(wizard.count("Ambiguous")).toHaveText(n(TWINS));
  await expect(wizard.count("Identity conflict")).toHaveText(n(CLAIMS));
  await expect(wizard.count("Overwrite")).toHaveText(n(HELD));

  // Somebody is at work on one of the devices: the run waits there, and the page can be left meanwhile.
  const release = await holdValues(world.idOf(world.held[22] as string));
  await page.getByRole("button", { name: "Run import" }).click();
  await expect(page.getByText(`3,000 of ${n(ROWS)} rows`)).toBeVisible({ timeout: WORK_MS });
  await page.reload();
  await expect(wizard.step("Run")).toBeVisible();
  await expect(page.getByRole("progressbar", { name: "Writing values" })).toBeVisible();
  await expect(page.getByText(`3,000 of ${n(ROWS)} rows`)).toBeVisible({ timeout: WORK_MS });
  await release();
  await expect(wizard.step("Report")).toBeVisible({ timeout: WORK_MS });
  await expect(wizard.figure("Devices changed")).toContainText(n(matched));
  const first = page.url();
  await page.goto(`/devices/${world.idOf(world.held[0] as string)}`);
  await expect(page.getByRole("listitem").filter({ hasText: `${p} Owner` })).toContainText("Bob");

  await page.goto(first);
  const rejected = await download(page, "Rows not applied (CSV)");
  expect(rejected.trim().split("\r\n")).toHaveLength(1 + BAD_DATES + MISSING + TWINS + CLAIMS);
  await wizard.begin();
  await wizard.read("corrected.csv", correct(world, rejected));
  await expect(page.getByText("You have mapped these columns before.")).toBeVisible();
  await expect(wizard.field("Not applied because")).toHaveCount(0);
  await wizard.go("Continue", "Values");
  await wizard.go("Check all rows", "Check");
  await expect(wizard.count("Matched by source ID")).toHaveText(n(BAD_DATES));
  await expect(wizard.count("Matched by hostname")).toHaveText(n(MISSING + TWINS));
  await expect(wizard.count("Identity conflict")).toHaveText(n(CLAIMS));
  await wizard.go("Run import", "Report");
  await expect(wizard.figure("Devices changed")).toContainText(n(BAD_DATES + MISSING + TWINS));

  await page.goto(first);
  await page.getByRole("button", { name: "Undo this import" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Undo", exact: true }).click();
  await expect(page.getByText(/This import was undone/)).toBeVisible({ timeout: WORK_MS });
  await page.goto(`/devices/${world.idOf(world.held[0] as string)}`);
  await expect(page.getByRole("listitem").filter({ hasText: `${p} Owner` })).toContainText("Alice");
  await expect(page.getByRole("listitem").filter({ hasText: `${p} Site` })).toContainText("Attic");
  await expect(page.getByRole("listitem").filter({ hasText: `${p} Tag` })).not.toContainText("AT-");
});
