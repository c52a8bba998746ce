import { OrganizationsPage } from "@/e2e/pages/organizations";
import { Api } from "@/e2e/support/api";
import { answering } from "@/e2e/support/faults";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

const unique = () => crypto.randomUUID().slice(0, 8);

test("one view lists organizations with a broken or unverified chain or short retention", async ({ page, request }) => {
  const mark = unique();
  const api = await Api.signIn(request);
  const short = await api.makeOrganization(`Short ${mark}`);
  await api.call("PUT", `/orgs/organizations/${short}/audit-retention`, { retentionDays: 90 });
  const long = await api.makeChain(`Long ${mark}`);
  await api.call("GET", `/audit-logs/checkpoints?orgId=${long}&sign=true`);
  const list = new OrganizationsPage(page);
  await list.open(`?show=chain,retention&search=${mark}`);
  await expect(list.row(`Short ${mark}`)).toContainText("Retention 90 days");
  await expect(list.row(`Long ${mark}`)).toHaveCount(0);
  await list.open(`?search=${mark}`);
  await expect(list.row(`Long ${mark}`)).toContainText("Intact");
  expect(await list.names()).toEqual([`Short ${mark}`, `Long ${mark}`]);
  await list.filter("Retention under 365 days or none").click();
  await expect(list.row(`Long ${mark}`)).toHaveCount(0);
  await expect(page).toHaveURL(/show=retention/);
  await expect(page.getByText(/^1 organization of [\d,]+, as of \d+ \w+ \d{4}, [\d:]+$/)).toBeVisible();
});

test("set the retention of many organizations at once and verify their chains", async ({ page, request }) => {
  const mark = unique();
  const api = await Api.signIn(request);
  for (const name of ["One", "Two"]) await api.makeChain(`${name} ${mark}`, 1);
  const list = new OrganizationsPage(page);
  await list.open(`?search=${mark}`);
  await page.getByRole("checkbox", { name: "Select all organizations shown" }).check();
  await page.getByRole("button", { name: "Set retention" }).click();
  const retention = list.dialog(/Retention of 2 organizations/);
  await retention.getByText("730 days").click();
  await expect(retention).toContainText("The next run would remove nothing");
  await expectAccessible(page);
  await retention.getByRole("button", { name: "Set retention" }).click();
  await expect(retention).toContainText("2 organizations changed to 730 days.");
  await retention.getByRole("button", { name: "Close", exact: true }).last().click();
  await expect(list.row(`One ${mark}`)).toContainText("730 days");

  await page.getByRole("button", { name: "Verify", exact: true }).click();
  const verify = list.dialog(/Verify 2 organizations/);
  await verify.getByRole("button", { name: "Verify", exact: true }).click();
  await expect(verify.getByRole("status")).toHaveText("2 intact");
  await expectAccessible(page);
  await verify.getByRole("button", { name: "Close", exact: true }).last().click();
  await expect(list.row(`Two ${mark}`)).toContainText(/whole chain checked (just now|\d+ min ago)/);
});

test("the preview for many organizations promises no removal while pruning is off", async ({ page, request }) => {
  const mark = unique();
  await (await Api.signIn(request)).makeOrganization(`Never pruned ${mark}`);
  await answering(page, "organizations.overview", { pruningEnabled: false });
  const list = new OrganizationsPage(page);
  await list.open(`?search=${mark}`);
  await list.select(`Never pruned ${mark}`);
  const dialog = list.dialog(/Retention of 1 organization/);
  const choose = async (period: string) => {
    await page.getByRole("button", { name: "Set retention" }).click();
    await dialog.getByText(period).click();
  };
  // The page comes with what it was served; it asks again once something is saved.
  await choose("730 days");
  await dialog.getByRole("button", { name: "Set retention" }).click();
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await expect(page.getByText(/Pruning is off in this installation/)).toBeVisible();
  await choose("90 days");
  await expect(dialog).toContainText(
    "Nothing is removed while pruning is off in this installation. If it were on, the next run would remove nothing",
  );
});

test("each row opens the organization with links to its pages", async ({ page, request }) => {
  const name = `Behind ${unique()}`;
  const orgId = await (await Api.signIn(request)).makeChain(name);
  const list = new OrganizationsPage(page);
  await list.open(`?search=${encodeURIComponent(name)}`);
  await list.row(name).getByRole("link", { name }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(page).toHaveTitle(`${name} · Trailmark`);
  const ways = page.getByRole("navigation", { name: "Pages of this organization" });
  await expect(ways.getByRole("link", { name: "Retention" })).toHaveAttribute(
    "href",
    `/settings/retention?orgId=${orgId}`,
  );
  await ways.getByRole("link", { name: "Audit log" }).click();
  await expect(page).toHaveURL(new RegExp(`orgId=${orgId}`));
});

test("old URLs of the page redirect to it", async ({ page }) => {
  for (const [from, to] of [
    ["/settings/organizations?search=x", "/organizations?search=x"],
    ["/customers", "/organizations"],
  ] as const) {
    await page.goto(from);
    await expect(page).toHaveURL(to);
    await expect(page.getByRole("heading", { level: 1, name: "Organizations" })).toBeVisible();
  }
});
