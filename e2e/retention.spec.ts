import { Api } from "./api";
import { expect, expectAccessible, test } from "./fixtures";
import { RetentionPage } from "./pages/retention";

test("a longer window is saved at once, a shorter one after its preview and the organization's name", async ({
  page,
  request,
}) => {
  const orgId = await (await Api.signIn(request)).makeOrganization("Kept");
  const retention = new RetentionPage(page);
  await retention.open(orgId);
  await expect(retention.state("365 days")).toBeVisible();
  await retention.choose("2 years");
  await retention.save();
  await expect(retention.state("730 days")).toBeVisible();

  await retention.choose("90 days");
  await retention.save();
  await expect(retention.dialog).toContainText("The next run would remove nothing");
  await expectAccessible(page);
  const confirm = retention.dialog.getByRole("button", { name: "Keep 90 days" });
  await expect(confirm).toBeDisabled();
  await retention.dialog.getByLabel(/Type the organization/).fill("Kept");
  await confirm.click();
  await expect(retention.state("90 days")).toBeVisible();
});
