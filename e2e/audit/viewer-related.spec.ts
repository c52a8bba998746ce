import { Api } from "@/e2e/support/api";
import { expect, expectAccessible, test } from "@/e2e/support/fixtures";

test("an entry shows related entries and links to them", async ({ viewer, page, request }) => {
  const orgId = await (await Api.signIn(request)).makeChain("Related Ltd", 3);
  await viewer.open(`?orgId=${orgId}&action=retention`);
  await expect(viewer.entries()).toHaveCount(3);
  await viewer.entries().first().click();
  const related = viewer.drawer.getByRole("region", { name: "Related entries, within five minutes" });
  const byActor = related.getByRole("list", { name: "By the same actor" });
  await expect(byActor.getByRole("link")).toHaveCount(3);
  await expect(related.getByRole("list", { name: "On the same resource" })).toBeVisible();
  await expectAccessible(page);
  const before = page.url();
  await byActor.getByRole("link", { name: /created organization/ }).click();
  await expect(page).not.toHaveURL(before);
  await expect(viewer.drawer.getByRole("heading", { name: /created organization Related Ltd/ })).toBeVisible();
});
