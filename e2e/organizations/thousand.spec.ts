import { OrganizationsPage } from "@/e2e/pages/organizations";
import { SignInPage } from "@/e2e/pages/sign-in";
import { withDatabase } from "@/e2e/support/database";
import { expect, test } from "@/e2e/support/fixtures";
import { startFresh } from "@/e2e/support/server";
import { ADMIN, freePort } from "@/testing/server";

let fresh: Awaited<ReturnType<typeof startFresh>>;
test.beforeAll(async () => {
  fresh = await startFresh("e2e-thousand", await freePort());
  await withDatabase(
    (sql) => sql`INSERT INTO organizations (partner_id, name, slug)
      SELECT p.id, 'Customer ' || i, 'customer-' || i FROM partners p, generate_series(1, 1000) AS i`,
    fresh.dataDir,
  );
});
test.afterAll(() => fresh.discard());

test("one page shows a thousand organizations virtualized and sets their retention at once", async ({ guest }) => {
  await guest.goto(`${fresh.base}/login`);
  await new SignInPage(guest).fill(ADMIN.email, ADMIN.password);
  await expect(guest.getByRole("heading", { level: 1, name: "Audit log" })).toBeVisible();
  await guest.goto(`${fresh.base}/organizations`);
  const list = new OrganizationsPage(guest);
  await expect(guest.getByRole("table")).toHaveAttribute("aria-rowcount", "1002");
  await expect(guest.getByText("1,001 organizations", { exact: true })).toBeVisible();
  expect((await list.names()).length).toBeLessThan(100);

  let previews = 0;
  guest.on("request", (request) => {
    if (request.url().includes("retention.previewMany")) previews++;
  });
  await guest.getByRole("checkbox", { name: "Select all organizations shown" }).check();
  await guest.getByRole("button", { name: "Set retention" }).click();
  const dialog = list.dialog(/Retention of 1,001 organizations/);
  await dialog.getByText("730 days").click();
  await expect(dialog).toContainText("The next run would remove nothing");
  const before = previews;
  await dialog.getByRole("button", { name: "Set retention" }).click();
  await expect(dialog).toContainText("1,001 organizations changed to 730 days.");
  expect([before > 0, previews]).toEqual([true, before]);
  const kept = await withDatabase(
    (sql) => sql`SELECT FROM audit_retention_policies WHERE retention_days = 730`,
    fresh.dataDir,
  );
  expect(kept).toHaveLength(1_001);
});
